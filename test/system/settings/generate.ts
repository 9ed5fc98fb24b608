/** Settings files as people write them: any values, comments and blanks anywhere, a name that is there twice. */
import { Arbitrary, Schema } from "effect"
import type { Patch } from "../../../src/system/settings/merge.ts"

const names = ["servers", "a", "b", "", "__proto__", 'qu"ote', "back\\slash", "// none", "/* none */", "é😀", "$HOME"]
const Name = Schema.Literals(names)
const Leaf = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Int,
  Schema.Literals(["", "text", "}", "{", ",", '"', "\\", "// none", "/* none", "a\nb", "\u2028"])
])

/** An object as a list, since a name may be there twice. */
const members = <S extends Schema.Constraint>(value: S) =>
  Schema.Struct({ members: Schema.Array(Schema.Struct({ name: Name, value })) })
const Inner = Schema.Union([Leaf, Schema.Array(Leaf), members(Leaf)])
const Root = members(Schema.Union([Inner, members(Inner)]))

type Node = null | boolean | number | string | ReadonlyArray<Node> | { readonly members: ReadonlyArray<Entry> }
interface Entry {
  readonly name: string
  readonly value: Node
}

const gaps = [
  "",
  "",
  " ",
  "\n",
  "\n  ",
  "\r\n\t",
  ' // a comment, with { and " }\n',
  "/* one */",
  "/**/ ",
  "// [ */\n  "
]

const render = (node: Node, gap: () => string): string => {
  const around = (text: string) => `${gap()}${text}${gap()}`
  const list = (items: ReadonlyArray<string>) => (items.length === 0 ? gap() : items.map(around).join(","))
  if (node === null || typeof node !== "object") return JSON.stringify(node)
  if ("members" in node) {
    const items = node.members.map(({ name, value }) => `${JSON.stringify(name)}${gap()}:${gap()}${render(value, gap)}`)
    return `{${list(items)}}`
  }
  return `[${list(node.map((item) => render(item, gap)))}]`
}

export interface Settings {
  readonly text: string
  /** The value for a reader that knows comments. */
  readonly value: Readonly<Record<string, Schema.Json>>
}

/** A text with its value. */
export const settings: Arbitrary.Arbitrary<Settings> = Arbitrary.map(
  Arbitrary.all({
    root: Arbitrary.schema(Root),
    choices: Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))), {
      minLength: 1,
      maxLength: 17
    })
  }),
  ({ root, choices }) => {
    let turn = 0
    const gap = () => {
      turn += 1
      return gaps[(choices[turn % choices.length] ?? 0) % gaps.length] ?? ""
    }
    const text = `${gap()}${render(root, gap)}${gap()}`
    return { text, value: JSON.parse(render(root, () => "")) }
  }
)

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether each section is an object to put members into, or missing. */
export const hasRoom = ({ value }: Settings, sections: ReadonlyArray<string>) =>
  sections.every((section) => !Object.hasOwn(value, section) || isObject(value[section]))

const patchValues: ReadonlyArray<Schema.Json> = [{ command: "node", args: ["-e", "1"] }, { url: "x" }, null, 1, "}"]

/** One or two sections with one or two members, of names that the settings may have too. */
export const patch: Arbitrary.Arbitrary<Patch> = Arbitrary.map(
  Arbitrary.schema(
    Schema.Array(Schema.Struct({ section: Name, name: Name, value: Schema.Literals([0, 1, 2, 3, 4]) })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(4)
    )
  ),
  (entries) => {
    const made: Record<string, Record<string, Schema.Json>> = Object.create(null)
    for (const { section, name, value } of entries) {
      const members = made[section] ?? Object.create(null)
      members[name] = patchValues[value] ?? null
      made[section] = members
    }
    return made
  }
)
