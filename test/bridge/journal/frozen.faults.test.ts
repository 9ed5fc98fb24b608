/** An account of a channel that a frozen or dead machine has is another's within half a minute; on waking it knows that. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { takeAccount } from "../../../src/bridge/journal/account.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { hasPostgres, makeDatabase } from "../../kit/postgres.ts"

const host = fileURLToPath(new URL("./hosts/holdsAccount.ts", import.meta.url))

const startHost = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = mkdtempSync(join(tmpdir(), "account-"))
      const env = { ...process.env, XDG_STATE_HOME: state }
      const child = spawn(process.execPath, [host, url], { env, stdio: ["pipe", "pipe", "inherit"] })
      let content = ""
      const wakers: Array<() => void> = []
      child.stdout.setEncoding("utf8").on("data", (text) => {
        content += text
        for (const waker of wakers.splice(0)) waker()
      })
      const until = (word: string): Effect.Effect<void> =>
        Effect.suspend(() =>
          content.includes(`${word}\n`)
            ? Effect.void
            : Effect.andThen(
                Effect.callback<void>((resume) => void wakers.push(() => resume(Effect.void))),
                until(word)
              )
        )
      return { child, until, state }
    }),
    ({ child, state }) =>
      Effect.sync(() => {
        child.kill("SIGKILL")
        rmSync(state, { recursive: true, force: true })
      })
  )

describe.skipIf(!hasPostgres)("an account of a channel", () => {
  it.live.each(["SIGSTOP", "SIGKILL"] as const)(
    "is another's within half a minute of %s",
    (signal) =>
      Effect.gen(function* () {
        const { url } = yield* makeDatabase
        const { child, until } = yield* startHost(Redacted.value(url))
        yield* until("mine")
        const store = Context.get(yield* Layer.build(Store.layerPostgres({ url })), Store)
        assert.strictEqual((yield* Effect.flip(takeAccount(store, "telegram", "bot")))._tag, "ChannelTaken")
        child.kill(signal)
        const began = performance.now()
        yield* Effect.retry(takeAccount(store, "telegram", "bot"), Schedule.spaced("500 millis"))
        assert.isBelow(performance.now() - began, 30_000)
        if (signal === "SIGKILL") return
        child.kill("SIGCONT")
        yield* until("lost")
      }).pipe(Effect.scoped),
    60_000
  )
})
