"""What must not go unnoticed is done on purpose, in a folder of its own: is it caught?"""
