"""Pictures of a plan, made offline: SVG, HTML, Mermaid and text. Every move is in every format exactly once."""
