"""Configurations of AutoGen as conversations and pipelines: chats in a row, group chats, teams and graphs of agents."""
