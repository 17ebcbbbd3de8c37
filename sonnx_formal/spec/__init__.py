"""What is declared once: operators, element types, attributes, requirements."""
