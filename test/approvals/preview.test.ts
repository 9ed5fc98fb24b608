/** What a person sees of what would be done. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { previewOf } from "../../src/approvals/preview.ts"
import type { FileEdit, PermissionAsk } from "../../src/cli/Live.ts"

const ask = (given: Partial<PermissionAsk>): PermissionAsk => ({
  requestId: "r",
  toolName: "T",
  toolId: "t",
  kind: "other",
  input: {},
  title: "T",
  takesInput: false,
  ...given
})
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `l${index + 1}`).join("\n")
const shown = (...edits: ReadonlyArray<FileEdit>) => previewOf(ask({ edits }))?.split("\n")

describe("a command", () => {
  it.each<[string, string, string | undefined]>([
    ["one line", "git status\n", "$ git status"],
    ["some lines", "a\n  b", "$ a\n    b"],
    ["60 characters", "é".repeat(60), `$ ${"é".repeat(60)}`],
    ["61 characters", "é".repeat(61), `$ ${"é".repeat(59)}…`],
    ["characters of many parts", "👩‍👩‍👧".repeat(61), `$ ${"👩‍👩‍👧".repeat(59)}…`],
    ["too many lines", numbered(10), `$ ${numbered(8).replaceAll("\n", "\n  ")}\n… 2 more lines`],
    ["nine lines", numbered(9), `$ ${numbered(8).replaceAll("\n", "\n  ")}\n… 1 more line`],
    ["what would overwrite it", "rm -rf /\rls\x1b[2K", "$ rm -rf /␍ls␛[2K"],
    ["what would turn it round", "a\u202eb\u2066c\u200bd\u2028e", "$ a�b�c�d�e"],
    ["tabs", "a\tb", "$ a  b"],
    ["nothing", "  \n", undefined]
  ])("%s", (_, command, expected) => expect(previewOf(ask({ command }))).toBe(expected))
})

describe("edits", () => {
  it("a change shows four lines of each", () =>
    expect(shown({ path: "/w/a", removed: numbered(6), added: `${numbered(4)}\n` })).toEqual([
      "/w/a",
      "- l1",
      "- l2",
      "- l3",
      "- l4",
      "… 2 more lines",
      "+ l1",
      "+ l2",
      "+ l3",
      "+ l4"
    ]))
  it("a new file shows eight lines", () =>
    expect(shown({ path: "/w/a", added: numbered(9) })).toEqual([
      "/w/a",
      ...numbered(8)
        .split("\n")
        .map((line) => `+ ${line}`),
      "… 1 more line"
    ]))
  it("a new file without content is its path", () => expect(shown({ path: "/w/a", added: "" })).toEqual(["/w/a"]))
  it("what is only put in, or only taken out", () => {
    expect(shown({ path: "/w/a", removed: "", added: numbered(5) })).toHaveLength(6)
    expect(shown({ path: "/w/a", removed: "x", added: "" })).toEqual(["/w/a", "- x"])
  })
  it("empty lines are lines", () =>
    expect(shown({ path: "a", added: "x\n\ny\r\n" })).toEqual(["a", "+ x", "+ ", "+ y"]))
  it("several, the path of one file once", () =>
    expect(
      shown({ path: "a", removed: "1", added: "2" }, { path: "a", removed: "3", added: "4" }, { path: "b", added: "5" })
    ).toEqual(["a", "- 1", "+ 2", "…", "- 3", "+ 4", "b", "+ 5"]))
  it("not more than four", () => {
    const edits = Array.from({ length: 6 }, (_, index) => ({ path: `f${index}`, added: "x" }))
    expect(shown(...edits)?.slice(-3)).toEqual(["f3", "+ x", "… 2 more edits"])
  })
  it("a path is one line and keeps its end", () => {
    expect(shown({ path: "a\nb\x1b", added: "" })).toEqual(["a�b␛"])
    const [line = ""] = shown({ path: `/${"d".repeat(200)}/file.ts`, added: "" }) ?? []
    expect(line).toHaveLength(120)
    expect(line).toMatch(/^…d+\/file\.ts$/)
  })
})

it("of neither there is nothing", () => {
  expect(previewOf(ask({}))).toBeUndefined()
  expect(previewOf(ask({ edits: [] }))).toBeUndefined()
})

const Text = Arbitrary.schema(
  Schema.Union([
    Schema.String,
    Schema.Literals(["\x1b[2J", "\r", "a\n".repeat(50), "x".repeat(5000), "\x9b", "\u202e"])
  ])
)

effectIt.prop(
  "is small and harmless, whatever it is of",
  [Text, Text, Text, Text],
  ([command, path, removed, added]) => {
    const edits = Array.from({ length: 9 }, (_, index) => ({ path: `${index}${path}`, removed, added }))
    const preview = previewOf(ask({ command, edits })) ?? ""
    expect(preview).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/)
    expect(preview.split("\n").length).toBeLessThanOrEqual(9 + 4 * 11 + 1)
  }
)
