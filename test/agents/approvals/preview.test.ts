/** A preview shows everything that would be done, and nothing in it can pass for something else. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { requestEventOf } from "../../../src/agents/approvals/requestEvent.ts"
import type { PermissionAsk } from "../../../src/contract/Rule.ts"
import type { FileEdit } from "../../../src/contract/ToolEvent.ts"
import { permissionAsk, workingDirectory } from "./requests.ts"

const previewOf = (raw: Partial<PermissionAsk>) =>
  requestEventOf(permissionAsk({ kind: "other", rest: {}, ...raw }), workingDirectory).preview()
const preview = (raw: Partial<PermissionAsk>) => previewOf(raw).preview ?? ""
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `l${index + 1}`).join("\n")
const visible = (...edits: ReadonlyArray<FileEdit>) => preview({ edits }).split("\n")

describe("a command", () => {
  it.each<[string, string, string]>([
    ["one line", "git status", "$ git status"],
    ["some lines", "a\n  b", "$ a\n    b"],
    ["however long", "é".repeat(500), `$ ${"é".repeat(500)}`],
    ["however many lines", numbered(100), `$ ${numbered(100).replaceAll("\n", "\n  ")}`],
    ["what would overwrite it", "rm -rf /\rls\x1b[2K", "$ rm -rf /\\u000dls\\u001b[2K"],
    [
      "what would turn it round, or hide",
      "a\u202eb\u2066c\u200bd\u2028e\u{e0041}f",
      "$ a\\u202eb\\u2066c\\u200bd\\u2028e\\udb40\\udc41f"
    ],
    ["invalid blanks", "rm\u00a0-rf\u3164x", "$ rm\\u00a0-rf\\u3164x"],
    ["half a character", "a\ud800b", "$ a\\ud800b"]
  ])("%s", (_, command, expected) => expect(preview({ command })).toBe(expected))

  it("with where it runs, where that is another directory", () => {
    expect(preview({ command: "ls", directory: workingDirectory })).toBe("$ ls")
    expect(preview({ command: "ls", directory: "/other" })).toBe("$ ls\nin /other")
    expect(preview({ command: "ls", directory: "sub\nx" })).toBe(`$ ls\nin ${workingDirectory}/sub\\nx`)
  })
  it("that leaves the sandbox says so first, and why at the end", () => {
    const [first, ...more] = preview({ command: "ls", escalated: true, reason: "network\n! fine" }).split("\n")
    expect(first).toMatch(/^! ESCALATED/)
    expect(more).toEqual(["$ ls", "reason: network", "  ! fine"])
  })
  it("with what else the tool is called with", () =>
    expect(preview({ command: "ls", rest: { run_in_background: true, description: "a\nb" } })).toBe(
      "$ ls\nrun_in_background: true\ndescription:\n  a\n  b"
    ))
})

describe("edits", () => {
  it("a change shows all of each, and a little around it", () => {
    const before = `${numbered(6)}\nold\n${numbered(5)}\n`
    expect(visible({ path: "/w/a", before, after: before.replace("old", "new\nnewer"), line: 7 })).toEqual([
      "change /w/a, line 7",
      "  … 3 unchanged lines",
      "  l4",
      "  l5",
      "  l6",
      "- old",
      "+ new",
      "+ newer",
      "  l1",
      "  l2",
      "  l3",
      "  … 3 unchanged lines"
    ])
  })
  it("a new file shows all lines", () => {
    const lines = numbered(300).split("\n")
    expect(visible({ path: "/w/a", after: `${numbered(300)}\n` })).toEqual([
      "write /w/a",
      ...lines.map((line) => `+ ${line}`)
    ])
  })
  it("what is written empty, taken out, put in, moved, done everywhere", () => {
    expect(visible({ path: "/w/a", after: "" })).toEqual(["write /w/a"])
    expect(visible({ path: "/w/a", before: "x\n" })).toEqual(["delete /w/a", "- x"])
    expect(visible({ path: "/w/a", before: "x", after: "x\ny" })).toEqual(["change /w/a", "  x", "+ y"])
    expect(visible({ path: "/w/a", movedTo: "/w/b" })).toEqual(["move /w/a to /w/b"])
    expect(visible({ path: "/w/a", before: "x", after: "y", everywhere: true })[0]).toBe(
      "change /w/a, every occurrence"
    )
  })
  it("however many", () => {
    const edits = Array.from({ length: 60 }, (_, index) => ({ path: `/f${index}`, after: "x" }))
    expect(visible(...edits)).toHaveLength(120)
  })
  it("a path is one line", () => expect(visible({ path: "/a\nb\x1b", after: "" })).toEqual(["write /a\\nb\\u001b"]))
})

describe("an input", () => {
  it("of MCP is shown, whatever it is", () => {
    const input = { sql: "DROP DATABASE production;\nCREATE x", limit: 100, deep: { a: ["\n"] } }
    expect(preview({ kind: "mcp", input, rest: input })).toBe(
      'sql:\n  DROP DATABASE production;\n  CREATE x\nlimit: 100\ndeep: {"a":["\\n"]}'
    )
    expect(preview({ kind: "mcp", input: "text", rest: "text" })).toBe("input: text")
  })
  it("cannot pass for a line of ours by its names", () =>
    expect(preview({ rest: { "a\n$ ls": "b", "! ": 1 } })).toBe("a\\n$ ls: b\n! : 1"))
  it("that is not there is said to be missing", () =>
    expect(preview({ input: {}, rest: {} })).toBe("The request does not say what it would do."))
})

it("a plan is whole", () => expect(preview({ kind: "plan", plan: numbered(200) })).toBe(numbered(200)))

it("beyond 64 KiB it says how much is not shown", () => {
  const text = preview({ command: `${"é".repeat(100_000)}\nrm -rf ~` })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
  const [command = "", note = ""] = text.split("\n")
  expect(note).toBe(`… ${100_000 + 9 - (command.length - 2)} more characters, not shown`)
})

it("leaves out members beyond the limit, and says how many they are", () => {
  const textsFor = (count: number) => {
    let texts = 0
    const value = {
      toJSON: () => {
        texts += 1
        return "x".repeat(100)
      }
    }
    const rest = Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]))
    const { preview: text = "", notShown } = previewOf({ rest })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
    expect(text).toMatch(/\n… \d+ more characters and \d+ members, not shown$/)
    expect(notShown).toMatch(/^\d+ characters and \d+ members$/)
    // Once each to see that it is JSON.
    return texts - count
  }
  expect(textsFor(30_000)).toBe(textsFor(3_000))
})

const Text = Arbitrary.schema(
  Schema.Union([
    Schema.String,
    Schema.Literals(["\x1b[2J", "\r", "a\n".repeat(50), "x".repeat(5000), "\x9b", "\u202e"])
  ])
)
const unescaped = (text: string) =>
  text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
const unmarked = (text: string) => unescaped(text.replaceAll(/^(\$ | {2}|[+-] )/gm, ""))

effectIt.prop("has the characters of what is run", [Text], ([command]) => {
  const text = preview({ command })
  expect(text).not.toMatch(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u)
  if (!/\\/.test(command)) expect(unmarked(text)).toBe(command)
})

effectIt.prop("has the characters of what is written", [Text], ([after]) => {
  const [, ...lines] = preview({ edits: [{ path: "/a", after }] }).split("\n")
  if (!/\\/.test(after)) expect(unmarked(lines.join("\n"))).toBe(after.replace(/\n$/, ""))
})
