"""What a file tells of its own schema: scales, roles, orders, and the explanation for the user."""
