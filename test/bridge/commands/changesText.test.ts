/** Texts of `/changes`: bounded, harmless whatever the files are called, with the counts of all of them. */
import { assert, describe, it } from "vitest"
import {
  actionWords,
  changesReply,
  discardQuestion,
  doneText,
  readChangesPress,
  refusalText
} from "../../../src/bridge/commands/changesText.ts"
import { parseCommand } from "../../../src/bridge/commands/parse.ts"
import { Conflicting, WorktreeError, WouldOverwrite } from "../../../src/contract/WorktreeError.ts"
import type { FileChange, WorktreeChanges, WorktreeInfo } from "../../../src/contract/Worktrees.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"
const worktree: WorktreeInfo = {
  ...{ conversation: ["web"], name: "web", branch: "reins/web", state: "ready", path: "/state/web" },
  ...{ repository: "/shop", createdAt: 0, usedAt: 0 }
}

const changesOf = (files: ReadonlyArray<FileChange>, commits = 0): WorktreeChanges => ({
  ...{ worktree, base: commit, commit, files, commits, isApplied: false }
})
const file = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  ...{ path, status: "changed", added: 1, deleted: 2 },
  ...more
})

describe("the list of changes", () => {
  it.each([
    [file("a.ts"), "- changed `a.ts` +1 −2"],
    [file("a.ts", { status: "added", deleted: 0 }), "- added `a.ts` +1"],
    [file("a.ts", { status: "deleted", added: 0 }), "- deleted `a.ts` −2"],
    [file("a.ts", { added: 0, deleted: 0 }), "- changed `a.ts` +0"],
    [{ path: "a.png", status: "changed" }, "- changed `a.png` (not text)"],
    [file("a`b`.ts"), "- changed ``a`b`.ts`` +1 −2"],
    [file("a\n- deleted `b`"), "- changed `` a - deleted `b` `` +1 −2"],
    [file("a\u202egnp.exe"), "- changed `a\\u202egnp.exe` +1 −2"],
    [file("\u001b[31mred"), "- changed `\\u001b[31mred` +1 −2"],
    [file("\ud800"), "- changed `\\ud800` +1 −2"],
    [file("[link](http://x) @everyone"), "- changed `[link](http://x) @everyone` +1 −2"]
  ] as const)("%j is one line", (change, line) => {
    const { text = "" } = changesReply(changesOf([change]), { mayAct: false, hasButtons: true })
    assert.strictEqual(text.split("\n")[1], line)
  })

  it("has the first 30 files, the number of the others, and the counts of all", () => {
    const files = Array.from({ length: 42 }, (_, at) => file(`file${at}.ts`))
    const { text = "" } = changesReply(changesOf(files, 2), { mayAct: true, hasButtons: true })
    const lines = text.split("\n")
    assert.strictEqual(
      lines[0],
      "Branch `reins/web`: 42 changed files, +42 −84, 2 commits that `/shop` has not checked out"
    )
    assert.strictEqual(lines.filter((line) => line.startsWith("- changed")).length, 30)
    assert.include(lines, "… and 12 more")
  })

  it("is bounded by the names of its files, whose ends are shown", () => {
    const files = Array.from({ length: 5000 }, (_, at) => file(`${"d/".repeat(2000)}name${at}`))
    const { text = "" } = changesReply(changesOf(files), { mayAct: true, hasButtons: true })
    assert.isBelow(text.length, 6_000)
    assert.include(text, "/name29`")
  })

  it("has buttons for those who may press them, and commands where a channel has none", () => {
    const changes = changesOf([file("a.ts")])
    const reply = changesReply(changes, { mayAct: true, hasButtons: true })
    assert.deepStrictEqual(reply.buttons, [
      [
        { label: "Apply", data: "w:a:0123456789ab" },
        { label: "Commit", data: "w:c:0123456789ab" },
        { label: "Discard", data: "w:d:0123456789ab" }
      ]
    ])
    assert.isUndefined(changesReply(changes, { mayAct: false, hasButtons: true }).buttons)
    const { text, buttons } = changesReply(changes, { mayAct: true, hasButtons: false })
    assert.isUndefined(buttons)
    assert.include(text, "- /changes apply: write this file into")
    assert.isUndefined(changesReply(changesOf([], 3), { mayAct: true, hasButtons: true }).buttons)
    assert.include(changesReply(changesOf([], 1), { mayAct: true, hasButtons: true }).text, "It has 1 commit that")
  })

  it("asks before it discards", () => {
    const changes = changesOf([file("a.ts"), file("b.ts"), file("c.ts")])
    const { buttons = [] } = discardQuestion(changes, { hasButtons: true })
    assert.deepStrictEqual(buttons.flat(), [
      { label: "Discard 3 files", data: "w:D:0123456789ab" },
      { label: "Keep", data: "w:k:0123456789ab" }
    ])
    assert.include(discardQuestion(changes, { hasButtons: false }).text, "`/changes discard 0123456789ab`")
  })
})

it.each([
  ["w:a:0123456789ab", { press: "apply", commit: "0123456789ab" }],
  ["w:c:0123456789ab", { press: "commit", commit: "0123456789ab" }],
  ["w:d:0123456789ab", { press: "discard", commit: "0123456789ab" }],
  ["w:D:0123456789ab", { press: "discardNow", commit: "0123456789ab" }],
  ["w:k:0123456789ab", { press: "keep", commit: "0123456789ab" }],
  ["w:x:0123456789ab", undefined],
  ["w:a:0123456789", undefined],
  ["w:a:0123456789ab\n", undefined],
  ["w:a:0123456789AB", undefined],
  ["s:a:0123456789ab", undefined]
])("reads %j of a button", (data, pressed) => {
  assert.deepStrictEqual<unknown>(readChangesPress(data), pressed)
})

it("says what an action will do, and did", () => {
  assert.strictEqual(
    actionWords(worktree, 3).apply,
    "write these 3 files into /shop, not committed; nothing there that is uncommitted is overwritten"
  )
  assert.strictEqual(actionWords(worktree, 1).commit, "commit this file on the branch reins/web; /shop stays as it is")
  assert.strictEqual(doneText({ act: "apply", files: 1, worktree }), "Applied 1 file to /shop, not committed.")
  assert.strictEqual(
    doneText({ act: "commit", commit: undefined, worktree }),
    "Nothing to commit: all files are committed."
  )
  assert.match(doneText({ act: "discard", files: 2, worktree }), /refs\/reins\/discarded\/web/)
})

it.each([
  [
    new WouldOverwrite({ paths: ["a\nb"] }),
    /^Nothing was applied: "a\\nb" has changes .*\. Commit or stash these files first\.$/
  ],
  [new Conflicting({ paths: ["a", "b"] }), /^Nothing was applied: "a", "b" were changed .* Ask the agent to merge/]
])("shows a refusal with its cure on one line", (reason, words) => {
  assert.match(refusalText(new WorktreeError({ reason })), words)
})

describe("the command", () => {
  const parse = (text: string, role: "user" | "approver" | "admin" | "owner") =>
    parseCommand({ text, attachments: [], addressed: true }, { role, accounts: [], agents: ["test"], directories: [] })
  const read = (command: object) => ({ _tag: "Given", command: { _tag: "Changes", ...command } })

  it.each([
    ["/changes", { do: "show" }],
    ["/changes patch", { do: "patch" }],
    ["/changes APPLY", { do: "apply" }],
    ["/changes commit", { do: "commit" }],
    ["/changes commit  Fix: the --thing", { do: "commit", message: "Fix: the --thing" }],
    ["/changes discard", { do: "discard" }],
    ["/changes discard 0123456789ab", { do: "discard", commit: "0123456789ab" }]
  ])("%s is read for admins, and changes nothing for others", (text, command) => {
    for (const role of ["admin", "owner"] as const) assert.deepStrictEqual<unknown>(parse(text, role), read(command))
    for (const role of ["user", "approver"] as const) {
      if (command.do === "show" || command.do === "patch")
        assert.deepStrictEqual<unknown>(parse(text, role), read(command))
      else
        assert.deepStrictEqual(parse(text, role), { _tag: "Hint", text: `/changes ${command.do} is only for admins.` })
    }
  })

  it.each([
    ["/changes aply", /Did you mean apply\?/],
    ["/changes apply now", /takes no arguments/],
    ["/changes discard all", /takes no arguments/],
    [`/changes commit ${"x".repeat(4001)}`, /is not a valid value/]
  ])("%s gives a hint", (text, hint) => {
    const hinted = parse(text, "owner")
    assert.match(hinted._tag === "Hint" ? hinted.text : "", hint)
  })
})
