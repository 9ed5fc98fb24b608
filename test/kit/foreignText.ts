/** Texts that would do something to a terminal. */
import { Arbitrary, Schema } from "effect"

const codes = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
const Control = Schema.Literals(codes.map((code) => String.fromCharCode(code)))
const Telling = Schema.Literals(["\r\n", "\x1b[31m", "\x1b]0;title\x07", "\u00a0", "ÿ", "ünï 日本", "👩‍👩‍👧", "\u2028"])

/** A text of which about a third are control characters, those that stay among them. */
export const foreign = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Union([Control, Telling, Schema.String])), { maxLength: 20 }),
  (pieces) => pieces.join("")
)
