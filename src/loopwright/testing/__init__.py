"""What tests of loops need: models that record, assertions on paths, and a real model server on loopback."""
