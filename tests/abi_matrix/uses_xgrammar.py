"""Compiles grammars with xgrammar and matches tokens: `uses_xgrammar.py ours|theirs`, whose tvm_ffi it is to use."""

import re
import sys
import types

# xgrammar derives from these, and uses them for tokenizers of that package only.
transformers = types.ModuleType("transformers")
for name in ("LogitsProcessor", "PreTrainedTokenizerBase", "PreTrainedTokenizerFast"):
    setattr(transformers, name, type(name, (), {}))
sys.modules["transformers"] = transformers

if sys.argv[1] == "ours":
    import fairlead.compat  # noqa: F401  provides tvm_ffi

import tvm_ffi  # noqa: E402
import xgrammar  # noqa: E402

assert ("fairlead" in tvm_ffi.__file__) == (sys.argv[1] == "ours"), tvm_ffi.__file__
words = ["<s>", "</s>", "a", "b", "ab", "1"]
info = xgrammar.TokenizerInfo(words, stop_token_ids=[1])
compiled = xgrammar.GrammarCompiler(info).compile_grammar('root ::= ("a" | "b")+ "1"')
matcher = xgrammar.GrammarMatcher(compiled)
mask = xgrammar.allocate_token_bitmask(1, info.vocab_size)


def allowed() -> list[str]:
    matcher.fill_next_token_bitmask(mask)
    return [word for i, word in enumerate(words) if mask[0, i // 32].item() >> (i % 32) & 1]


print(allowed(), matcher.accept_token(4), allowed(), matcher.accept_token(5), allowed())
print(matcher.accept_token(0), matcher.is_terminated())
try:
    xgrammar.Grammar.from_ebnf("root ::= (")
except RuntimeError as error:
    print(re.sub(r"^\[[\d:]+\] ", "", str(error)))
print(
    xgrammar.Grammar.from_json_schema(
        '{"type": "object", "properties": {"a": {"type": "integer"}}}'
    )
)
