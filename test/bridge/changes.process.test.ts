/** Chats that work in worktrees: `/changes` with its buttons and roles, files that are sent from there, and refusals. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import type { ScriptedChannelOptions } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { lastingStore } from "../kit/lastingStore.ts"
import { gitIn, makeRepository, put, textOf } from "../kit/repository.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { bridgeOf } from "./bridgeOf.ts"

type Work = (directory: string, prompt: string) => void

/** The agent of a served directory, whose work is a function; Ann owns it, Bob may write. */
const opened = Effect.fnUntraced(function* (
  work: Work,
  options: Partial<BridgeOptions> = {},
  channel: ScriptedChannelOptions = {}
) {
  const repository = yield* makeRepository
  const directories: Array<string> = []
  const agent = TestRuntime.layer(({ prompt, workingDirectory = "" }) => {
    directories.push(workingDirectory)
    work(workingDirectory, prompt)
    return [{ type: "text", text: `did: ${prompt}` }]
  })
  const serve = yield* bridgeOf(
    agent,
    { directories: { shop: { path: repository, worktree: true } }, directory: "shop", ...options },
    yield* lastingStore
  )
  const scripted = yield* serve(channel)
  const { say, ours, until, press, shown: visible } = scripted
  const next = Effect.fnUntraced(function* (chat: string, act: Effect.Effect<unknown>) {
    const before = ours(chat).length
    yield* act
    const { text, ...message } = yield* until(() => ours(chat)[before])
    // The scripted channel shows Markdown as it is.
    return { ...message, text: text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1") }
  })
  return {
    ...scripted,
    repository,
    directories,
    reply: (text: string, from = "ann") => next(from, say(text, { from })),
    pressed: (messageId: string, label: string, from = "ann") => next(from, press(messageId, label, { from })),
    tell: Effect.fnUntraced(function* (text: string, from = "ann") {
      yield* say(text, { from })
      yield* visible(from, `did: ${text}`)
    })
  }
})

const changes: Work = (directory) => put(directory, { "a.txt": "one\nmore\n", "new `file`.txt": "x\ny\n" })

for (const live of [true, false]) {
  describe(`/changes of ${live ? "live sessions" : "runs"}`, () => {
    it.live("lists the files, applies them by a button, and says so", () =>
      Effect.gen(function* () {
        const { reply, tell, pressed, repository, directories, acknowledgements, until } = yield* opened(changes, {
          live
        })
        assert.match((yield* reply("/changes")).text, /no changes yet: its worktree is made with its first message/)
        yield* tell("work")
        assert.notInclude(directories, repository)
        const { text, buttons, messageId } = yield* reply("/changes")
        assert.deepStrictEqual(buttons, ["Apply", "Commit", "Discard"])
        assert.include(text, "2 changed files, +3")
        assert.include(text, "- changed `a.txt` +1")
        assert.include(text, "- added ``new `file`.txt`` +2")
        assert.include(text, "write these 2 files into")
        assert.strictEqual(textOf(repository, "a.txt"), "one\n")
        const result = yield* pressed(messageId, "Apply")
        assert.include(result.text, "Applied 2 files to")
        assert.strictEqual(textOf(repository, "a.txt"), "one\nmore\n")
        assert.strictEqual(acknowledgements().at(-1)?.text, "Apply")
        yield* until(() => (acknowledgements().length === 1 ? true : undefined))
        assert.include((yield* reply("/changes")).text, "2 changed files, +3, applied")
        assert.include((yield* reply("/changes apply")).text, "Nothing to apply")
      }).pipe(Effect.scoped)
    )
  })
}

describe("/changes", () => {
  it.live("is shown to users without its actions, and who presses is checked at the press", () =>
    Effect.gen(function* () {
      const all = yield* opened(changes)
      const { reply, repository, say, until, press, acknowledgements, ours } = all
      yield* all.tell("work", "bob")
      const { text, buttons } = yield* reply("/changes", "bob")
      assert.include(text, "Admins can apply")
      assert.deepStrictEqual(buttons, [])
      for (const action of ["apply", "commit a message", "discard"]) {
        assert.match((yield* reply(`/changes ${action}`, "bob")).text, /^\/changes \w+ is only for admins\.$/)
      }
      assert.match((yield* reply("/changes aply", "bob")).text, /Did you mean apply\?$/)
      yield* say("work", { from: "ann", chat: "team" })
      yield* until(() => ours("team").find(({ text }) => text.startsWith("did: ")))
      yield* say("/changes", { from: "ann", chat: "team" })
      const list = yield* until(() => ours("team").find(({ buttons }) => buttons.length === 3))
      yield* press(list.messageId, "Apply", { from: "bob" })
      const refusal = yield* until(() => acknowledgements().at(-1))
      assert.strictEqual(refusal.text, "/changes is only for admins.")
      assert.strictEqual(textOf(repository, "a.txt"), "one\n")
    }).pipe(Effect.scoped)
  )

  it.live("refuses the button of an old list, and shows the list anew", () =>
    Effect.gen(function* () {
      const { reply, tell, pressed, repository } = yield* opened((directory, prompt) =>
        put(directory, { "a.txt": `${prompt}\n` })
      )
      for (const label of ["Apply", "Commit", "Discard"]) {
        yield* tell(`before ${label}`)
        const old = yield* reply("/changes")
        yield* tell(`after ${label}`)
        const { text, buttons } = yield* pressed(old.messageId, label)
        assert.match(text, /^The changes are no longer those of that list, so nothing was done\./)
        assert.include(text, "`a.txt`")
        assert.deepStrictEqual(buttons, ["Apply", "Commit", "Discard"])
      }
      assert.strictEqual(textOf(repository, "a.txt"), "one\n")
    }).pipe(Effect.scoped)
  )

  it.live("names the files that an apply would overwrite, with the cure, and does not touch them", () =>
    Effect.gen(function* () {
      const { reply, tell, repository } = yield* opened(changes)
      yield* tell("work")
      writeFileSync(join(repository, "a.txt"), "mine\n")
      const { text } = yield* reply("/changes apply")
      assert.match(text, /^Nothing was applied: "a\.txt" has changes in the working tree/)
      assert.include(text, "Commit or stash these files first.")
      assert.strictEqual(textOf(repository, "a.txt"), "mine\n")
      assert.isFalse(existsSync(join(repository, "new `file`.txt")))
    }).pipe(Effect.scoped)
  )

  it.live("commits with a message, and discards after a question", () =>
    Effect.gen(function* () {
      const { reply, tell, pressed, repository, directories } = yield* opened(changes)
      yield* tell("work")
      assert.match(
        (yield* reply("/changes commit Better --words")).text,
        /^Committed as [0-9a-f]{8} on the branch reins/
      )
      const branch = gitIn(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads/reins").trim()
      assert.strictEqual(gitIn(repository, "log", "-1", "--format=%s", branch).trim(), "Better --words")
      assert.include((yield* reply("/changes commit")).text, "Nothing to commit")
      const list = yield* reply("/changes")
      assert.include(list.text, "1 commit that")
      const question = yield* pressed(list.messageId, "Discard")
      assert.deepStrictEqual(question.buttons, ["Discard 2 files", "Keep"])
      assert.strictEqual(textOf(directories[0] ?? "", "a.txt"), "one\nmore\n")
      assert.include((yield* pressed(question.messageId, "Discard 2 files")).text, "Discarded the changes of 2 files.")
      assert.strictEqual(textOf(directories[0] ?? "", "a.txt"), "one\n")
      assert.include((yield* reply("/changes discard")).text, "No changes on the branch")
    }).pipe(Effect.scoped)
  )

  it.live("without buttons names the commands, and discards only what was shown", () =>
    Effect.gen(function* () {
      const { reply, tell, directories } = yield* opened(changes, {}, { lacks: ["buttons"] })
      yield* tell("work")
      const { text } = yield* reply("/changes")
      for (const name of ["apply", "commit", "discard"]) assert.include(text, `/changes ${name}: `)
      const question = (yield* reply("/changes discard")).text
      const [command = ""] = /\/changes discard [0-9a-f]{12}/.exec(question) ?? []
      assert.include((yield* reply("/changes discard 0123456789ab")).text, "nothing was done")
      assert.include((yield* reply(command)).text, "Discarded the changes of 2 files.")
      assert.strictEqual(textOf(directories[0] ?? "", "a.txt"), "one\n")
    }).pipe(Effect.scoped)
  )

  it.live("sends a patch that git applies, and files of the worktree alone", () =>
    Effect.gen(function* () {
      const { reply, tell, repository } = yield* opened((directory) =>
        put(directory, { "a.txt": "one\nmore\n", "report.md": "all is well" })
      )
      put(repository, { "mine.md": "private" })
      assert.include((yield* reply("/files report.md")).text, "does not exist")
      yield* tell("work")
      const { file = "" } = yield* reply("/changes patch", "ann")
      assert.match(file, /\.patch$/)
      gitIn(repository, "apply", file)
      assert.strictEqual(textOf(repository, "a.txt"), "one\nmore\n")
      const sent = yield* reply("/files report.md")
      assert.strictEqual(readFileSync(sent.file ?? "", "utf8"), "all is well")
      for (const path of ["mine.md", join(repository, "mine.md"), ".git"]) {
        assert.isUndefined((yield* reply(`/files ${path}`)).file, path)
      }
    }).pipe(Effect.scoped)
  )

  it.live("says that a chat has no worktree: of another directory, or of one that has them turned off", () =>
    Effect.gen(function* () {
      const plain = yield* makeDirectory
      const aside = yield* makeRepository
      const { reply, tell, directories } = yield* opened(changes, {
        directories: {
          plain: { path: plain },
          off: { path: aside, worktree: false },
          on: { path: aside, worktree: {} }
        },
        directory: "plain"
      })
      yield* tell("work")
      assert.strictEqual(directories.at(-1), plain)
      assert.match((yield* reply("/changes")).text, /^This chat has no worktree/)
      yield* reply("/dir on")
      yield* tell("again")
      assert.notInclude([plain, aside], directories.at(-1))
      assert.include((yield* reply("/changes")).text, "2 changed files")
      yield* reply("/dir off")
      assert.match((yield* reply("/changes")).text, /^This chat has no worktree/)
      yield* tell("third")
      assert.strictEqual(directories.at(-1), aside)
    }).pipe(Effect.scoped)
  )
})
