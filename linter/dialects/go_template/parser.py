"""Tokens → nodes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from .lexer import Kind, Token, fail, lex
from .literals import character, number, string
from .template_errors import CannotEvaluate
from .template_nodes import (
    Action,
    Block,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Leave,
    Literal,
    Name,
    Nil,
    Node,
    Operand,
    Pipe,
    Range,
    Template,
    Text,
    Variable,
)

_MAX_NESTING: Final = 40
_OPERANDS: Final = frozenset(
    {Kind.WORD, Kind.FIELD, Kind.VARIABLE, Kind.DOT, Kind.NUMBER, Kind.STRING, Kind.RAW_STRING, Kind.CHARACTER}
)


def parse(text: str, functions: Collection[str]) -> Template:
    return _Parser(text, functions).template()


class _Parser:
    def __init__(self, text: str, functions: Collection[str]) -> None:
        self.text = text
        self.functions = functions
        self.tokens = lex(text)
        self.next = 0
        self.variables = ["$"]
        self.defined: dict[str, Block] = {}
        self.nesting = 0
        self.loops = 0

    # -- moving along

    def peek(self) -> Token:
        return self.tokens[self.next]

    def take(self) -> Token:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def skip_space(self) -> Token:
        while self.peek().kind is Kind.SPACE:
            self.take()
        return self.peek()

    def is_sign(self, text: str) -> bool:
        token = self.peek()
        return token.kind is Kind.SIGN and token.text == text

    def unexpected(self, token: Token, context: str) -> Exception:
        what = {Kind.END: "EOF", Kind.RIGHT: '"}}"', Kind.KEYWORD: f"<{token.text}>"}.get(token.kind, f'"{token.text}"')
        return fail(self.text, token.at, f"unexpected {what} in {context}")

    def source_from(self, start: int) -> str:
        end = self.peek().at
        return self.text[start:end].rstrip()

    # -- blocks

    def template(self) -> Template:
        root, end = self.block(top=True)
        if end is not None:
            raise fail(self.text, end.at, f"unexpected {{{{{end.text}}}}}")
        return Template(self.text, root, self.defined)

    def block(self, top: bool = False) -> tuple[Block, Token | None]:
        """Nodes up to an end or an else, which is taken; the word is given back."""
        nodes: list[Node] = []
        while True:
            token = self.take()
            if token.kind is Kind.TEXT:
                nodes.append(Text(token.text))
            elif token.kind is Kind.END:
                if not top:
                    raise fail(self.text, token.at, "unexpected EOF")
                return tuple(nodes), None
            else:
                word = self.skip_space()
                if word.kind is Kind.KEYWORD and word.text in ("end", "else"):
                    self.take()
                    return tuple(nodes), word
                node = self.action(word, top)
                if node is not None:
                    nodes.append(node)

    def action(self, word: Token, top: bool) -> Node | None:
        if word.kind is not Kind.KEYWORD:
            marked = self.nested()
            pipe = self.pipe("command")
            self.nesting = marked
            return Action(pipe)
        self.take()
        if word.text in ("if", "with"):
            return self.branch(word)
        if word.text == "range":
            return self.range_()
        if word.text in ("break", "continue"):
            return self.leave(word)
        if word.text == "template":
            return self.call(word)
        if word.text == "define" and not top:
            raise fail(self.text, word.at, "unexpected <define> in command")
        return self.define(word)

    def nested(self) -> int:
        before = self.nesting
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise CannotEvaluate(f"a template nested more than {_MAX_NESTING} levels deep")
        return before

    def branch(self, word: Token) -> Branch:
        nesting, known = self.nested(), len(self.variables)
        pipe = self.pipe(word.text)
        then, end = self.block()
        otherwise = self.otherwise(end, chained=(word.text,))
        del self.variables[known:]
        self.nesting = nesting
        return Branch(pipe, then, otherwise, sets_dot=word.text == "with")

    def range_(self) -> Range:
        nesting, known = self.nested(), len(self.variables)
        pipe = self.pipe("range")
        self.loops += 1
        body, end = self.block()
        self.loops -= 1
        otherwise = self.otherwise(end, chained=())
        del self.variables[known:]
        self.nesting = nesting
        return Range(pipe, body, otherwise)

    def otherwise(self, end: Token | None, chained: tuple[str, ...]) -> Block:
        """What stands between an else and its end; ``else if`` shares the end of its if."""
        if end is None or end.text == "end":
            self.close("end")
            return ()
        following = self.skip_space()
        if following.kind is Kind.KEYWORD and following.text in chained:
            self.take()
            return (self.branch(following),)
        self.close("else")
        nodes, end = self.block()
        if end is None or end.text != "end":
            raise fail(self.text, self.peek().at, "expected end; found {{else}}")
        self.close("end")
        return nodes

    def close(self, context: str) -> None:
        token = self.skip_space()
        if token.kind is not Kind.RIGHT:
            raise self.unexpected(token, context)
        self.take()

    def leave(self, word: Token) -> Leave:
        if not self.loops:
            raise fail(self.text, word.at, f"{{{{{word.text}}}}} outside {{{{range}}}}")
        self.close(f"{{{{{word.text}}}}}")
        return Leave(loop=word.text == "break")

    def name(self, context: str) -> str:
        token = self.skip_space()
        if token.kind not in (Kind.STRING, Kind.RAW_STRING):
            raise self.unexpected(token, context)
        self.take()
        return string(self.text, token)

    def call(self, word: Token) -> Call:
        name = self.name("template clause")
        pipe = None
        if self.skip_space().kind is Kind.RIGHT:
            self.take()
        else:
            pipe = self.pipe("template clause")
        return Call(word.at, self.source_from(word.at), name, pipe)

    def define(self, word: Token) -> Call | None:
        """define, and block, which also calls what it defines."""
        nesting = self.nested()
        name = self.name(f"{word.text} clause")
        call = None
        if word.text == "block":
            pipe = self.pipe("block clause")
            call = Call(word.at, f'template "{name}"', name, pipe)
        else:
            self.close("define clause")
        outer, loops = self.variables, self.loops
        self.variables, self.loops = ["$"], 0
        body, end = self.block()
        if end is None or end.text != "end":
            raise fail(self.text, self.peek().at, f"unexpected {{{{else}}}} in {word.text} clause")
        self.close("end")
        self.variables, self.loops = outer, loops
        self.defined[name] = body
        self.nesting = nesting
        return call

    # -- pipelines

    def pipe(self, context: str, closing: str = "") -> Pipe:
        """A pipeline with what closes it: the delimiter, or a parenthesis."""
        start = self.skip_space().at
        variables, assigns = self.declarations(context)
        commands: list[Command] = []
        while True:
            token = self.skip_space()
            if (token.kind is Kind.RIGHT and not closing) or (closing and self.is_sign(closing)):
                break
            if token.kind not in _OPERANDS and not self.is_sign("("):
                raise self.unexpected(token, context)
            commands.append(self.command())
        source = self.source_from(start)
        self.take()
        self.check_commands(commands, start, context)
        return Pipe(start, source, variables, assigns, tuple(commands))

    def check_commands(self, commands: list[Command], start: int, context: str) -> None:
        if not commands:
            raise fail(self.text, start, f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.words[0], Literal | Nil | Dot):
                raise fail(self.text, command.at, f"non executable command in pipeline stage {stage}")

    def declarations(self, context: str) -> tuple[tuple[str, ...], bool]:
        """``$x :=``, ``$x =`` and, in a range, ``$i, $x :=``; nothing is taken if it is none of them."""
        start = self.next
        names: list[str] = []
        while self.skip_space().kind is Kind.VARIABLE:
            names.append(self.take().text)
            sign = self.skip_space()
            if self.is_sign(":=") or self.is_sign("="):
                self.take()
                self.variables += names
                return tuple(names), sign.text == "="
            if not self.is_sign(","):
                break
            if context != "range" or len(names) > 1:
                raise fail(self.text, sign.at, f"too many declarations in {context}")
            self.take()
        if len(names) > 1:
            raise fail(self.text, self.peek().at, "range can only initialize variables")
        self.next = start
        return (), False

    def command(self) -> Command:
        start = self.peek().at
        words: list[Operand] = []
        while True:
            token = self.skip_space()
            if token.kind in _OPERANDS or self.is_sign("("):
                words.append(self.operand())
            token = self.peek()
            if token.kind is Kind.SPACE:
                continue
            source = self.source_from(start)
            if self.is_sign("|"):
                self.take()
            elif token.kind is not Kind.RIGHT and not self.is_sign(")"):
                raise self.unexpected(token, "operand")
            break
        if not words:
            raise fail(self.text, start, "empty command")
        return Command(start, source, tuple(words))

    def operand(self) -> Operand:
        start = self.peek().at
        node = self.term()
        names: list[str] = []
        while self.peek().kind is Kind.FIELD:
            names.append(self.take().text[1:])
        if not names:
            return node
        source = self.source_from(start)
        if isinstance(node, Field):
            return Field(start, source, (*node.names, *names))
        if isinstance(node, Variable):
            return Variable(start, source, node.name, tuple(names))
        if isinstance(node, Literal | Nil | Dot):
            raise fail(self.text, start, f'unexpected . after term "{node.source}"')
        return Chain(start, source, node, tuple(names))

    def term(self) -> Operand:
        token = self.take()
        if token.kind is Kind.WORD:
            return self.word(token)
        if token.kind is Kind.FIELD:
            return Field(token.at, token.text, (token.text[1:],))
        if token.kind is Kind.VARIABLE:
            if token.text not in self.variables:
                raise fail(self.text, token.at, f'undefined variable "{token.text}"')
            return Variable(token.at, token.text, token.text, ())
        if token.kind is Kind.DOT:
            return Dot(token.at)
        if token.kind is Kind.NUMBER:
            return Literal(token.at, token.text, number(self.text, token))
        if token.kind is Kind.CHARACTER:
            return Literal(token.at, token.text, character(self.text, token))
        if token.kind in (Kind.STRING, Kind.RAW_STRING):
            return Literal(token.at, token.text, string(self.text, token))
        nesting = self.nested()
        pipe = self.pipe("parenthesized pipeline", closing=")")
        self.nesting = nesting
        return pipe

    def word(self, token: Token) -> Operand:
        if token.text in ("true", "false"):
            return Literal(token.at, token.text, token.text == "true")
        if token.text == "nil":
            return Nil(token.at)
        if token.text not in self.functions:
            raise fail(self.text, token.at, f'function "{token.text}" not defined')
        return Name(token.at, token.text)
