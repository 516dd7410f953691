"""What tests of loops need: assertions on paths, and a real model server on loopback."""
