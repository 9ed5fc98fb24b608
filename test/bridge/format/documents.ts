/** Made-up documents of Markdown: mostly well formed, with what breaks cutting and what hides between the marks. */
import { Arbitrary, Schema } from "effect"

type Parts = ReadonlyArray<string>

const word: Parts = ["alpha", "beta", "gamma", "delta", "epsilon", "Ünïcode", "日本語", "שלום", "می‌خواهم"]
const picture: Parts = ["👩‍👩‍👧", "👍🏽", "🇩🇪", "1️⃣", "é", "👩🏿‍🚀👩🏿‍🚀👩🏿‍🚀"]
const odd: Parts = ["\0", "\ud800", "\udc00", "\u202e", "\u200b", "\ufeff", "\x1b[31m", "\u2028", "\r\n", "\t"]
const mark: Parts = [
  "*",
  "**",
  "_",
  "~~",
  "`",
  "``",
  "[",
  "](",
  ")",
  "<",
  ">",
  "!",
  "|",
  "\\",
  "#",
  "&amp;",
  "<br>",
  "---",
  "```",
  "~~~"
]
const phrase: Parts = [
  "**bold words**",
  "*slanted* ",
  "***both***",
  "~~gone~~",
  "`code here`",
  "**bold `code` bold**",
  "[label](https://host.example/path)",
  "[src/a.ts](src/a.ts)",
  "![picture](./local.png)",
  "[`linked`](https://code.example)",
  "https://bare.example/x",
  "<i>html</i>",
  "[ref][one]"
]
const line: Parts = [
  "\n\n",
  "\n\n",
  "\n",
  "\n- ",
  "\n  - ",
  "\n1. ",
  "\n- [x] ",
  "\n> ",
  "\n>> ",
  "\n\n# ",
  "\n\n---\n\n",
  "\n\n[one]: https://one.example/ref\n\n"
]
const block: Parts = [
  "\n\n```js\nlet first = 1\n\n  let second = 2\n```\n\n",
  "\n\n~~~~ python\nfirst()\n~~~\nlast()\n~~~~\n\n",
  "\n- item\n  ```sh\n  inner code\n  ```\n",
  "\n\n| left | right |\n|:--|--:|\n| cell one | cell two |\n| three | four | five |\n\n",
  "\n\n> quoted **strong**\n> ```\n> quoted code\n> ```\n\n",
  "\n\n    indented code\n    more code\n\n"
]
const long: Parts = [
  "word ".repeat(90),
  "unbroken".repeat(60),
  "👩‍👩‍👧".repeat(40),
  `\n\n\`\`\`ts\n${"const line = 1\n".repeat(30)}\`\`\`\n\n`,
  `\n\n\`\`\`\n${"oneline".repeat(80)}\n\`\`\`\n\n`,
  `\n\n\`\`\`long\n${"never closed\n".repeat(5)}`,
  "**b** `c` ".repeat(60),
  "e\u0301".repeat(50),
  "\n\n\n\n\n\n\n\n\n\n",
  "          "
]

const space: Parts = [" "]
const any = [word, space, phrase, line, word, space, picture, mark, block, word, space, odd, long]

const calmCode: Parts = [
  "\n\n```js\nlet first = 1\n\n  let second = 2\n```\n\n",
  "\n\n~~~~\nfirst()\n~~~\nlast()\n~~~~\n\n",
  `\n\n\`\`\`ts\n${"const line = 1\n".repeat(9)}\`\`\`\n\n`,
  `\n\n\`\`\`\n${"one line ".repeat(20)}\n\`\`\`\n`
]
const calmWord = word.map((each) => `${each} `)
const calm = [calmWord, calmWord, calmWord, ["\n", "\n\n"], picture, word, calmCode]

/** Numbers in [0, 1) by a seed (mulberry32): a property makes long documents of one number, which are read in a report. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Most are short, one in eight is longer than a message. */
const documentOf = (kinds: ReadonlyArray<Parts>, seed: number): string => {
  const random = randomOf(seed)
  const one = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(random() * list.length)]
  const length = Math.floor(random() * (random() < 0.125 ? 200 : 30))
  return Array.from({ length }, () => one(one(kinds) ?? []) ?? "").join("")
}

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })))

export const anyOf = (value: number): string => documentOf(any, value)
export const calmOf = (value: number): string => documentOf(calm, value)

/** Any document. */
export const anyDocument = Arbitrary.map(seed, anyOf)

/** Paragraphs and well-formed blocks of code alone: whatever is cut, a reader of Markdown sees the same. */
export const calmDocument = Arbitrary.map(seed, calmOf)
