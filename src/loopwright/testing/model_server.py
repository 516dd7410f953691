"""A real model server on loopback: the OpenAI-compatible API, with replies that a test or a demo chooses.

Clients are not patched: they open a connection, send a request and read what comes back, troubles included.
"""

import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.client import forget
from loopwright.state.values import Json, JsonObject

LONGEST_HANG = 30.0
"""Seconds after which a hanging reply ends even when neither client nor test ends it."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A reply that is no chat completion, or no whole one.

    Args:
        status: The HTTP status.
        retry_after: The Retry-After header, or None.
        body: The body as it is sent; an error with the status, in the API's form, when None.
        data: The body as bytes, for what is no text.
        text: A content instead: it is sent as a completion, or in parts where the client asks for a stream.
        cut: Whether the connection is closed in the middle of the body; in a stream, in the middle of the text.
        hang: Whether nothing is sent until the client gives up or the server is closed.
    """

    status: int = 200
    retry_after: str | None = None
    body: str | None = None
    data: bytes | None = None
    text: str | None = None
    cut: bool = False
    hang: bool = False


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived.

    Args:
        path: The path of its address, as `/v1/chat/completions`.
        headers: Its headers, with lower-case names.
        body: Its body.
    """

    path: str
    headers: Mapping[str, str]
    body: JsonObject


Said: TypeAlias = str | Mapping[str, Json] | ToolCall | tuple[ToolCall, ...]
Reply: TypeAlias = Said | Trouble
Takes: TypeAlias = Literal["all", "json_schema", "tools", "text"]
Replies: TypeAlias = Reply | Sequence[Reply] | Callable[[JsonObject], Reply]


class ModelServer:
    """A chat model behind a port of its own, for as long as the `with` block lasts.

    Args:
        replies: One reply for every request; or a list, taken in the order in which requests arrive; or a function from
            the request's body to a reply. A text is the message's content, a mapping is content as JSON, a `ToolCall`
            or a tuple of them is a message that calls tools, a `Trouble` is sent as it is. A request beyond the list
            gets status 400, with words that say so. A client that asks for a stream gets a text or a mapping word by
            word; one that forces a tool gets it as the arguments of a call.
        takes: What the server knows of structured answers: `json_schema`, `tools`, or neither, `text`. The rest it
            refuses with status 400, as real servers do, and takes no reply for it. `all` is both.
        port: The port, for runs that are kept and go on at the same address; any free one when left out.

    Raises:
        OSError: The port is taken, once the `with` block begins.

    Example:
        >>> from urllib.request import Request, urlopen
        >>> with ModelServer(["hello"]) as server:
        ...     question = b'{"model": "any", "messages": [{"role": "user", "content": "hi"}]}'
        ...     with urlopen(Request(server.base_url + "/chat/completions", question)) as answer:
        ...         json.load(answer)["choices"][0]["message"]["content"]
        'hello'
        >>> server.requests[0].body["model"]
        'any'
    """

    def __init__(self, replies: Replies, *, takes: Takes = "all", port: int = 0) -> None:
        self.requests: list[Recorded] = []
        self._replies = replies
        self._takes, self._port = takes, port
        self._refused = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def base_url(self) -> str:
        """The address to give to a client: `http://127.0.0.1:PORT/v1`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._server = _Server(self, self._port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="model-server")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()
        forget(self.base_url)  # the next server at this port is another one

    def take(self, request: Recorded) -> tuple[int, Reply]:
        """Record a request; its number, counted from 1, and the reply that it gets."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            if refusal := _refused(request.body, self._takes):
                self._refused += 1
                return number, refusal
            place = number - self._refused
        replies = self._replies
        if callable(replies):
            return number, replies(request.body)
        if isinstance(replies, str | Mapping | Trouble | ToolCall):
            return number, replies
        if place <= len(replies):
            return number, replies[place - 1]
        return number, _refusal(400, f"this server has {len(replies)} replies, and this is request {place}")


class _Server(ThreadingHTTPServer):
    """The HTTP server: it knows its open connections, so that it can be closed while clients keep them alive."""

    daemon_threads = False
    request_queue_size = 256

    def __init__(self, owner: ModelServer, port: int) -> None:
        self.owner = owner
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gives up in the middle is part of what is tested; anything else is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        for connection in list(self._open):
            with suppress(OSError):  # it may have been closed in the meantime
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """No log: `requests` holds what arrived."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        data = self.rfile.read(length)
        if len(data) < length:  # the client has gone; nobody reads an answer
            self.close_connection = True
            return
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner = self.server.owner
        if not self.path.endswith("/chat/completions"):
            self._send(_refusal(404, f"there is no {self.path}; there is /v1/chat/completions"))
        elif not isinstance(body, dict):
            self._send(_refusal(400, "the body is no JSON object"))
        else:
            self._answer(*owner.take(Recorded(self.path, headers, body)), body)

    def _answer(self, number: int, reply: Reply, body: JsonObject) -> None:
        if (tool := _forced(body)) and isinstance(reply, str | Mapping):
            reply = ToolCall(tool, _content(reply))
        calls = _calls(number, reply)
        if not isinstance(reply, Trouble):
            reply = Trouble(text=_content(reply))
        if reply.text is None or reply.hang:
            self._send(reply)
        elif body.get("stream"):
            self._stream(_chunks(number, body, reply.text, calls), cut=reply.cut)
        else:
            self._send(replace(reply, body=_completion(number, body, reply.text, calls)))

    def _stream(self, chunks: Sequence[str], *, cut: bool) -> None:
        """Server-sent events, each in a part of its own, so that a client sees when the connection breaks off."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks[: len(chunks) // 2] if cut else (*chunks, ""):
            data = f"data: {chunk}\n\n".encode() if chunk else b""
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.close_connection = self.close_connection or cut

    def _send(self, reply: Trouble) -> None:
        if reply.hang:
            self.server.owner.closing.wait(LONGEST_HANG)
            self.close_connection = True
            return
        text = _error(reply.status, "as the test wants it") if reply.body is None else reply.body
        data = text.encode() if reply.data is None else reply.data
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if reply.retry_after is not None:
            self.send_header("Retry-After", reply.retry_after)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if reply.cut else data)
        self.close_connection = self.close_connection or reply.cut


def _refused(body: JsonObject, takes: Takes) -> Trouble | None:
    """What a server says that does not know what is asked for: DeepSeek's words, and Ollama's."""
    if "response_format" in body and takes not in ("all", "json_schema"):
        return _refusal(400, "This response_format type is unavailable now")
    if "tools" in body and takes not in ("all", "tools"):
        return _refusal(400, f"{body.get('model')} does not support tools")
    return None


def _forced(body: JsonObject) -> str:
    """The tool that must be called, or ""."""
    choice, tools = body.get("tool_choice"), body.get("tools")
    if choice == "required" and isinstance(tools, list) and len(tools) == 1:
        choice = tools[0]
    function = choice.get("function") if isinstance(choice, dict) else None
    return str(function.get("name", "")) if isinstance(function, dict) else ""


def _content(reply: Said) -> str:
    if isinstance(reply, str):
        return reply
    return json.dumps(dict(reply), ensure_ascii=False) if isinstance(reply, Mapping) else ""


def _calls(number: int, reply: Reply) -> list[JsonObject]:
    """The calls of tools in a reply, as the API has them."""
    calls = (reply,) if isinstance(reply, ToolCall) else reply if isinstance(reply, tuple) else ()
    return [_call(call, f"{number}-{index}") for index, call in enumerate(calls, 1)]


def _completion(number: int, body: JsonObject, content: str, calls: Sequence[JsonObject]) -> str:
    """A chat completion."""
    message = {"role": "assistant", "content": content, **({"tool_calls": [*calls]} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    about = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 0, "model": body.get("model")}
    return json.dumps({**about, "choices": [choice], "usage": _usage(body, content)})


def _chunks(number: int, body: JsonObject, content: str, calls: Sequence[JsonObject]) -> list[str]:
    """A chat completion in parts: each word with the space before it, why it ends, what it took, and the last mark."""
    about = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 0, "model": body.get("model")}
    deltas: list[JsonObject] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in re.findall(r"\s*\S+|\s+$", content)]
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    last = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
    parts = [{**about, "choices": [choice]} for choice in (*choices, last)]
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        parts.append({**about, "choices": [], "usage": _usage(body, content)})
    return [*map(json.dumps, parts), "[DONE]"]


def _usage(body: JsonObject, content: str) -> JsonObject:
    """What a call took; a token is a word, so that counts can be foretold."""
    sent, received = _words(body.get("messages", [])), _words(content)
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _call(call: ToolCall, number: str) -> JsonObject:
    """A call as the API has it; arguments that are a text are sent as they are, whatever that may be."""
    args = call.args if isinstance(call.args, str) else json.dumps(call.args, ensure_ascii=False)
    function: JsonObject = {"name": call.name, "arguments": args}
    return {"id": call.id or f"call-{number}", "type": "function", "function": function}


def _words(said: Json) -> int:
    """How many words a text has, or all messages of a list together."""
    if isinstance(said, list):
        return sum(_words(message.get("content")) for message in said if isinstance(message, dict))
    return len(said.split()) if isinstance(said, str) else 0


def _error(status: int, message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "error", "code": str(status)}})


def _refusal(status: int, message: str) -> Trouble:
    return Trouble(status, body=_error(status, message))
