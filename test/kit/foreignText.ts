/** Texts that would do something to a terminal, or would not be seen in it. */
import { Arbitrary, Schema } from "effect"

const codes = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
const Control = Schema.Literals(codes.map((code) => String.fromCharCode(code)))
const Steering = Schema.Literals([
  "\x1b[31m",
  "\x1b[2J",
  "\x1b]0;title\x07",
  "\x1b]8;;http://x\x1b\\",
  "\x9b2J",
  "\u061c",
  "\u200e",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u200d",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u034f",
  "\u115f",
  "\u2800",
  "\u3164",
  "\ufe0f",
  "\ufe00",
  "\u{e0100}",
  "\u{e0041}",
  "\u{e007f}",
  "\u2028",
  "\ufff9",
  "\ud800",
  "\udc00"
])
const Telling = Schema.Literals(["\r\n", "\u00a0", "ÿ", "ünï 日本", "👩‍👩‍👧", "✔️", "1️⃣"])

/** A text of which about half are characters that steer or hide, controls that stay among them. */
export const foreign = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Union([Control, Steering, Telling, Schema.String])), { maxLength: 20 }),
  (pieces) => pieces.join("")
)

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Invisible characters of a text, emoji taken for what they show; a line feed and a tab are visible. */
export const unseenIn = (text: string): ReadonlyArray<string> =>
  [...graphemes.segment(text)].flatMap(({ segment }) => {
    const visible = /^(?:\p{Extended_Pictographic}|[0-9#*]\ufe0f\u20e3)/u.test(segment)
      ? segment.replace(/[\u200d\ufe0e\ufe0f]/g, "")
      : segment
    return visible.match(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu) ?? []
  })
