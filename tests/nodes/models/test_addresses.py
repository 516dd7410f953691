"""Names and addresses in references: what is refused is never quoted, and what is taken stays to the letter."""

from collections.abc import Callable

import pytest

from loopwright.nodes.models.addresses import api_address, model_name, proxy_address, variable_name

Check = Callable[[str], str]


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (model_name, "gpt-4o-mini"),
        (model_name, " org/model:free "),
        (variable_name, ""),
        (variable_name, "_TEAM_KEY2"),
        (api_address, "https://api.example.com/v1"),
        (api_address, "http://127.0.0.1:8080"),
        (api_address, "http://[::1]:8080/v1/"),
        (proxy_address, "http://proxy:3128"),
        (proxy_address, "socks5h://proxy"),
    ],
)
def test_what_is_taken_stays_as_it_is(check: Check, text: str) -> None:
    assert check(text) == text


SECRET = "sk-secret"
NO_ADDRESS = "this is no address: one begins with "


@pytest.mark.parametrize(
    ("check", "text", "words"),
    [
        (model_name, "", "must not be blank"),
        (model_name, " \n", "must not be blank"),
        (variable_name, SECRET, "this is no name of an environment variable"),
        (variable_name, "2KEY", "this is no name of an environment variable"),
        (variable_name, "KEY\n", "this is no name of an environment variable"),
        (api_address, "", NO_ADDRESS),
        (api_address, SECRET, NO_ADDRESS),
        (api_address, f"//{SECRET}/v1", NO_ADDRESS),
        (api_address, f"ftp://{SECRET}", NO_ADDRESS),
        (api_address, "https:///v1", NO_ADDRESS),
        (api_address, "https://host:port/v1", NO_ADDRESS),
        (api_address, "https://host:0/v1", NO_ADDRESS),
        (api_address, "https://host:70000/v1", NO_ADDRESS),
        (api_address, "https://[::1/v1", NO_ADDRESS),
        (api_address, "https://host/a b", NO_ADDRESS),
        (api_address, "https://host/v1\n", NO_ADDRESS),
        (api_address, "socks5://proxy", NO_ADDRESS),
        (api_address, f"https://{SECRET}@host/v1", "api_key_env names"),
        (api_address, f"https://host/v1?key={SECRET}", "api_key_env names"),
        (api_address, f"https://host/v1#{SECRET}", "api_key_env names"),
        (proxy_address, f"http://user:{SECRET}@proxy:3128", "HTTPS_PROXY"),
        (proxy_address, "ws://proxy", "http://, https://, socks5:// or socks5h://"),
    ],
)
def test_what_is_refused_is_not_quoted(check: Check, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        check(text)
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
