"""SQLModel, with the commands of SQLAlchemy."""

import sqlmodel

import by_sqlalchemy
import shop_sqlmodel

NAME, VERSION, TABLES = "SQLModel", sqlmodel.__version__, ["orders"]


class Commands(by_sqlalchemy.Commands):
    models = shop_sqlmodel
