"""Pictures of a plan, made offline: SVG, HTML, Mermaid and text. Every move and every gap is in every format once."""
