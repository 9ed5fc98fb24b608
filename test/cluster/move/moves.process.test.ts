/** Moves between two homes of one store on PostgreSQL, step by step. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { holdSubject } from "../../../src/agents/guard/hold.ts"
import { slugOf } from "../../../src/cluster/move/sessionFiles.ts"
import { addSession } from "../../conversations/kit/rows.ts"
import { hasPostgres } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import {
  addClaude,
  askMove,
  blobsOf,
  claudeFile,
  filesOf,
  openHomes,
  perform,
  sessionOf,
  stateOf,
  textOf
} from "./homes.ts"
import { claudeId, claudeLines, codexId, codexLines, rollout, write } from "./kit.ts"

const done = { state: "done" as const, problem: undefined, isTidy: true }

describe.skipIf(!hasPostgres)("a session that is moved", () => {
  it.live("is at its new home, with all its files, and nowhere in between", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      const file = yield* addClaude(from, work, "one", "two")
      assert.isTrue(yield* askMove(from, to, work))
      assert.isFalse(yield* askMove(from, to, work, "another"))
      yield* perform(to)
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      yield* perform(from)
      assert.strictEqual((yield* sessionOf(from))?.home, `on its way to ${to.store.home}`)
      assert.isAbove(yield* blobsOf(from), 0)
      yield* perform(from)
      yield* perform(to)
      assert.deepInclude(yield* sessionOf(from), {
        home: to.store.home,
        directory: work,
        turns: 2,
        sessionId: claudeId
      })
      assert.strictEqual(textOf(claudeFile(to, work)), textOf(file))
      const slug = slugOf(work)
      assert.deepStrictEqual(filesOf(to), [
        `600 projects/${slug}/${claudeId}.jsonl`,
        `600 projects/${slug}/${claudeId}/tool-results/long.txt`,
        "700 projects/",
        `700 projects/${slug}/`,
        `700 projects/${slug}/${claudeId}/`,
        `700 projects/${slug}/${claudeId}/tool-results/`
      ])
      assert.deepStrictEqual(yield* stateOf(from), done)
      assert.strictEqual(yield* blobsOf(from), 0)
    }).pipe(Effect.scoped)
  )

  it.live("continues in another directory, and returns with its new messages", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      const other = yield* makeDirectory
      const file = yield* addClaude(from, work, "one")
      yield* askMove(from, to, other)
      yield* perform(from)
      yield* perform(to)
      assert.deepInclude(yield* sessionOf(from), { home: to.store.home, directory: other })
      const moved = claudeFile(to, other)
      appendFileSync(moved, claudeLines(other, "two"))
      yield* askMove(to, from, work, "back")
      yield* perform(to)
      yield* perform(from)
      assert.deepInclude(yield* sessionOf(from), { home: from.store.home, directory: work })
      assert.strictEqual(textOf(file), claudeLines(work, "one") + claudeLines(other, "two"))
      assert.isFalse(filesOf(from).some((name) => name.includes("reins")))
    }).pipe(Effect.scoped)
  )

  it.live("brings along the threads from which it was forked", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      const parent = codexId.replace("0", "1")
      const base = codexLines(parent, work)
      write(join(from.folder, ".codex", rollout("25", parent)), base)
      const own = codexLines(codexId, work, { thread_id: parent, end_byte_offset: base.length })
      write(join(from.folder, ".codex", rollout("26", codexId)), own)
      write(join(from.folder, ".codex", rollout("26", codexId.replace("0", "2"))), codexLines(codexId, work))
      // The other home has gone on with the parent.
      write(join(to.folder, ".codex", rollout("25", parent)), `${base}more\n`)
      yield* addSession(from.store, { cli: "codex", session_id: codexId, directory: work })
      yield* askMove(from, to, work)
      yield* perform(from)
      yield* perform(to)
      assert.deepStrictEqual(yield* stateOf(from), done)
      assert.strictEqual(textOf(join(to.folder, ".codex", rollout("26", codexId))), own)
      assert.strictEqual(textOf(join(to.folder, ".codex", rollout("25", parent))), `${base}more\n`)
      assert.lengthOf(
        filesOf(to, ".codex").filter((name) => name.endsWith(".jsonl")),
        2
      )
    }).pipe(Effect.scoped)
  )

  it.live("waits while the session is in use", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      const subject = { what: "session", cli: "claude", sessionId: claudeId } as const
      const use = { subject, runId: "run", isPatient: false, patienceMs: 0, queued: () => {} }
      const using = yield* Scope.make()
      yield* Scope.provide(from.at(holdSubject(use)), using)
      const performing = yield* Effect.forkScoped(perform(from))
      while ((yield* stateOf(from)).problem !== "the session is in use") yield* Effect.sleep("50 millis")
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      yield* Scope.close(using, Exit.void)
      yield* Fiber.join(performing)
      assert.strictEqual((yield* stateOf(from)).state, "packed")
    }).pipe(Effect.scoped)
  )
})
