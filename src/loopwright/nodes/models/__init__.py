"""Who answers: references to models, the client behind them, and a scripted one."""
