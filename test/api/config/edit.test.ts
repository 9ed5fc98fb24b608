/** Changes of single keys: everything else in the file stays as it is, however the file is written. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Toml from "effect/encoding/Toml"
import { placesIn } from "../../../src/api/config/document.ts"
import { set, unset, valueAt } from "../../../src/api/config/edit.ts"
import { agentIds } from "../../../src/api/config/keys.ts"

const parsed = (text: string) => Result.getOrThrow(Toml.parse(text))
const done = (edited: Result.Result<string, string>) => Result.getOrThrow(edited)

describe("set", () => {
  const file = `# mine
agent = "claude" # for now

# the second
[agents.codex]
model = 'gpt-6' # fast
# below

[directories."my shop"]
path = "~/code/shop"
`
  it.each([
    ["a value, beside its comment", ["agent"], "codex", file.replace('"claude"', '"codex"')],
    ["a text in single quotes", ["agents", "codex", "model"], "x", file.replace("'gpt-6'", '"x"')],
    [
      "a key more in its table",
      ["agents", "codex", "billing"],
      "api-key",
      file.replace("# fast\n", '# fast\nbilling = "api-key"\n')
    ],
    [
      "a key more at the root",
      ["directory"],
      "my shop",
      file.replace("# for now\n", '# for now\ndirectory = "my shop"\n')
    ],
    ["a table more", ["agents", "claude", "model"], "opus", `${file}\n[agents.claude]\nmodel = "opus"\n`],
    ["a quoted name", ["directories", "my shop", "agent"], "codex", `${file}agent = "codex"\n`]
  ] as const)("%s", (_, path, value, expected) => {
    const after = done(set(file, path, value))
    assert.strictEqual(after, expected)
    assert.deepStrictEqual(valueAt(parsed(after), path), value)
  })

  it.each([
    ["nothing", "", '[agents.claude]\nmodel = "m"\n'],
    ["a comment", "# mine\n", '# mine\n\n[agents.claude]\nmodel = "m"\n'],
    ["no last line break", 'agent = "codex"', 'agent = "codex"\n\n[agents.claude]\nmodel = "m"\n'],
    [
      "a dotted key",
      'agents.claude.billing = "api-key"\n',
      'agents.claude.billing = "api-key"\nagents.claude.model = "m"\n'
    ],
    [
      "a table above",
      '[agents]\nclaude.billing = "api-key"\n',
      '[agents]\nclaude.billing = "api-key"\nclaude.model = "m"\n'
    ],
    [
      "an inline table",
      'agents = { claude = { billing = "api-key" } }\n',
      'agents = { claude = { billing = "api-key", model = "m" } }\n'
    ],
    ["an empty inline table", "agents = {}\n", 'agents = { claude.model = "m" }\n'],
    ["Windows line ends", "[agents.claude]\r\n", '[agents.claude]\r\nmodel = "m"\r\n'],
    [
      "a value over several lines",
      '[agents.claude]\nallowedTools = [\n  "Read", # first\n  "]"\n]\n',
      '[agents.claude]\nallowedTools = [\n  "Read", # first\n  "]"\n]\nmodel = "m"\n'
    ],
    [
      "a text over several lines",
      "[agents.claude]\ncommand = '''\nx = 1\n[a]\n'''\n",
      "[agents.claude]\ncommand = '''\nx = 1\n[a]\n'''\nmodel = \"m\"\n"
    ]
  ])("in a file with %s", (_, before, after) => {
    assert.strictEqual(done(set(before, ["agents", "claude", "model"], "m")), after)
  })

  it("puts a key of the root above all tables, below a comment on the file", () => {
    assert.strictEqual(
      done(set("# about\n# the file\n\n[agents.codex]\n", ["agent"], "codex")),
      '# about\n# the file\n\nagent = "codex"\n\n[agents.codex]\n'
    )
    assert.strictEqual(done(set("[agents.codex]\n", ["agent"], "codex")), 'agent = "codex"\n\n[agents.codex]\n')
  })

  it("refuses a change that would affect another key", () => {
    const list = set('[[agents]]\nmodel = "m"\n', ["agents", "claude", "model"], "m")
    assert.match(Result.isFailure(list) ? list.failure : "", /change it with an editor/)
    assert.isTrue(Result.isFailure(set("agents = 1\n", ["agents", "claude", "model"], "m")))
  })

  it("says where a file is not TOML, without its text", () => {
    const broken = set('agent = "claude"\nsecret = hunter2"\n', ["agent"], "codex")
    assert.match(Result.isFailure(broken) ? broken.failure : "", /at line 2/)
  })
})

describe("unset", () => {
  it.each([
    ["a line", '# a\nagent = "codex" # b\n# c\n', ["agent"], "# a\n# c\n"],
    [
      "a table",
      '[agents.codex]\nmodel = "m"\n\n[directories.x]\npath = "/x"\n# end\n',
      ["directories", "x"],
      '[agents.codex]\nmodel = "m"\n\n# end\n'
    ],
    [
      "one of an inline table",
      'agents = { claude = { model = "m", billing = "api-key" } }\n',
      ["agents", "claude", "model"],
      'agents = { claude = { billing = "api-key" } }\n'
    ],
    [
      "the last of an inline table",
      'agents = { claude = { model = "m", billing = "api-key" } }\n',
      ["agents", "claude", "billing"],
      'agents = { claude = { model = "m" } }\n'
    ],
    ["the only one of an inline table", 'store = { directory = "/s" }\n', ["store", "directory"], "store = { }\n"],
    [
      "a list over several lines",
      'agents.claude.allowedTools = [\n "a", # x\n]\nagent = "codex"\n',
      ["agents", "claude", "allowedTools"],
      'agent = "codex"\n'
    ]
  ])("%s", (_, before, path, after) => {
    assert.strictEqual(done(unset(before, path)), after)
  })
})

const Text = Schema.String.check(Schema.isPattern(/^[^\0-\x1f\x7f\ud800-\udfff]{0,12}$/))
const Writing = Schema.Struct({
  agents: Schema.Array(
    Schema.Struct({
      id: Schema.Literals(agentIds),
      model: Text,
      tools: Schema.Array(Text),
      form: Schema.Literals(["header", "dotted", "inline", "quoted"]),
      comment: Text,
      isSpread: Schema.Boolean
    })
  ),
  names: Schema.Array(Text),
  eol: Schema.Literals(["\n", "\r\n"]),
  isOpen: Schema.Boolean
})

/** A file in one of many forms. */
const output = ({ agents, names, eol, isOpen }: typeof Writing.Type): string => {
  const unique = [...new Map(agents.map((each) => [each.id, each])).values()]
  const quote = (text: string) => JSON.stringify(text)
  const list = (tools: ReadonlyArray<string>, isSpread: boolean) =>
    isSpread
      ? `[ # ${quote("]")}${tools.map((tool) => `\n  ${quote(tool)}, # '`).join("")}\n]`
      : `[${tools.map(quote).join(",")}]`
  const dotted = unique.filter(({ form }) => form === "dotted" || form === "inline")
  const root = dotted.flatMap(({ id, model, tools, form, comment, isSpread }) =>
    form === "inline"
      ? [`agents.${id} = { model = ${quote(model)}, "allowedTools"= ${list(tools, false)} } # ${comment}`]
      : [`agents . ${id}.model=${quote(model)} # ${comment}`, `agents.${id}.allowedTools = ${list(tools, isSpread)}`]
  )
  const tables = unique
    .filter((each) => !dotted.includes(each))
    .flatMap(({ id, model, tools, form, comment, isSpread }) => [
      `# ${comment}`,
      form === "quoted" ? `[ "agents" . '${id}' ] # [x]` : `[agents.${id}]`,
      `  model = ${/['\ud800-\udfff]/.test(model) ? quote(model) : `'${model}'`}`,
      `allowedTools = ${list(tools, isSpread)} # ${comment}`,
      ""
    ])
  const directories = [...new Set(names)].flatMap((name, index) => [
    `[directories.${quote(name)}]`,
    `path = """/${index}\\\\"""`
  ])
  const text = ["# about this file", "", ...root, ...tables, ...directories].join("\n") + (isOpen ? "" : "\n")
  return text.replaceAll("\n", eol)
}

const commentsOf = (text: string) => {
  const { entries, sections } = placesIn(text)
  const spans = [
    ...entries.map(({ value }) => value),
    ...entries.map(({ key }) => key),
    ...sections.map(({ span }) => span)
  ]
  const blank = spans.reduce((rest, { from, to }) => rest.slice(0, from) + " ".repeat(to - from) + rest.slice(to), text)
  return blank.split(/\r?\n/).flatMap((line) => /#.*$/.exec(line)?.[0] ?? [])
}

const Change = Schema.Struct({
  id: Schema.Literals(agentIds),
  key: Schema.Literals(["model", "allowedTools", "billing"]),
  value: Schema.Union([Text, Schema.Array(Text)])
})

const withoutAt = (value: unknown, [part, ...rest]: ReadonlyArray<string>): unknown => {
  if (typeof value !== "object" || value === null || part === undefined) return value
  const inner = withoutAt(Reflect.get(value, part), rest)
  const isEmpty =
    rest.length === 0 ||
    inner === undefined ||
    (typeof inner === "object" && inner !== null && Object.keys(inner).length === 0)
  const others = Object.entries(value).filter(([name]) => name !== part)
  return Object.fromEntries(isEmpty ? others : [...others, [part, inner]])
}

describe("any file", () => {
  it.prop("has the value after set, and all else as before", [Writing, Change], ([writing, { id, key, value }]) => {
    const before = output(writing)
    const path = ["agents", id, key]
    const after = done(set(before, path, value))
    const [was, is] = [parsed(before), parsed(after)]
    assert.deepStrictEqual(valueAt(is, path), value)
    assert.deepEqual(withoutAt(is, path), withoutAt(was, path))
    assert.sameDeepMembers([...commentsOf(after)], [...commentsOf(before)])
    // A value that is set and removed is gone, and one that is set twice is set once.
    assert.strictEqual(done(set(after, path, value)), after)
    const removed = parsed(done(unset(after, path)))
    assert.isUndefined(valueAt(removed, path))
    assert.deepEqual(withoutAt(removed, path), withoutAt(was, path))
  })
})
