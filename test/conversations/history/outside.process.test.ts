import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { CliId } from "../../../src/cli/clis.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { everything, makeHome } from "../../cli/stored/kit.ts"
import { addSession } from "../kit/rows.ts"
import { inMemory, reasonOf, type Setting } from "./kit.ts"

const home = (cli: CliId, scenario: string) =>
  Effect.acquireRelease(
    Effect.sync(() => makeHome(cli, scenario)),
    (made) => Effect.sync(() => made[Symbol.dispose]())
  )

const withHome = <A, E>(
  cli: CliId,
  test: (setting: Setting & { readonly directory: string }) => Effect.Effect<A, E>,
  scenario = "tools"
) =>
  Effect.flatMap(home(cli, scenario), (made) =>
    inMemory((setting) => test({ ...setting, directory: made.home }), true).pipe(
      Effect.provideService(HostEnvironment, { HOME: made.user })
    )
  ).pipe(Effect.scoped)

const list = ({ history }: Setting, outside = true) => Stream.runCollect(history.list({ outside }))

describe.each<CliId>(["claude", "codex", "gemini", "pi"])("a session that was begun in %s itself", (cli) => {
  it.effect("is listed among ours, adopted once, exported, and forgotten without harm to its files", () =>
    withHome(cli, (setting) =>
      Effect.gen(function* () {
        const { store, history, directory } = setting
        const before = everything(directory)
        expect(yield* list(setting, false)).toEqual([])
        const [found] = yield* list(setting)
        const ref = { cli, sessionId: found?.sessionId ?? "" }
        expect(found).toMatchObject({ cli, origin: "outside" })
        expect(yield* history.get(ref.sessionId)).toEqual(found)
        const text = yield* Stream.mkString(history.export(ref, "markdown"))
        expect(text).toMatch(/\n\*\*Prompt\*\*\n\n> .+/)
        expect((yield* reasonOf(Stream.runDrain(history.events(ref))))._tag).toBe("NotKept")
        expect((yield* reasonOf(history.rename(ref, "x")))._tag).toBe("UnknownSession")

        yield* addSession(store, { key: "newest", used: Number.MAX_SAFE_INTEGER })
        yield* addSession(store, { key: "oldest", used: 1 })
        expect((yield* list(setting)).map(({ id, sessionId }) => id ?? sessionId)).toEqual([
          "newest",
          ref.sessionId,
          "oldest"
        ])
        const adopted = yield* history.adopt(ref, { conversation: ["chat", "7"] })
        expect(adopted).toMatchObject({ ...ref, origin: "adopted", conversation: ["chat", "7"], state: "live" })
        expect((yield* history.adopt(ref)).id).toBe(adopted.id)
        expect((yield* list(setting)).filter(({ sessionId }) => sessionId === ref.sessionId)).toHaveLength(1)
        expect((yield* history.get({ conversation: ["chat", "7"] })).id).toBe(adopted.id)
        expect(yield* Stream.mkString(history.export(ref, "markdown"))).toContain(text.split("\n").at(-2) ?? "")

        yield* history.forget(ref)
        expect(everything(directory)).toEqual(before)
        expect((yield* history.get(ref.sessionId)).origin).toBe("outside")
      })
    )
  )
})

describe("the beginning of an id that only a CLI knows", () => {
  it.effect("names it, where it fits only one, and is four characters long", () =>
    withHome(
      "opencode",
      ({ history }) =>
        Effect.gen(function* () {
          expect(yield* history.get("ses_dfd981")).toMatchObject({ sessionId: "ses_dfd981528ffeouO87uhi4W1nWT" })
          const several = yield* reasonOf(history.get("ses_dfd98"))
          expect(several).toMatchObject({
            _tag: "AmbiguousSession",
            candidates: ["opencode ses_dfd981528ffeouO87uhi4W1nWT", "opencode ses_dfd98045bffeanrQhnWDR2vSuG"]
          })
          expect((yield* reasonOf(history.get("ses")))._tag).toBe("UnknownSession")
          const exact = { cli: "opencode", sessionId: "ses_dfd981" }
          expect((yield* reasonOf(history.get(exact)))._tag).toBe("UnknownSession")
        }),
      "list"
    )
  )
})

describe("the beginning of the CLI's own id of a session that is kept here", () => {
  it.effect("is refused where a session that only the CLI knows has it, too", () =>
    withHome(
      "opencode",
      ({ store, history }) =>
        Effect.gen(function* () {
          yield* addSession(store, { key: "kept", session_id: "ses_dfd981ffffffffffffffffffff", cli: "opencode" })
          expect(yield* reasonOf(history.get("ses_dfd981"))).toMatchObject({
            _tag: "AmbiguousSession",
            candidates: ["kept", "opencode ses_dfd981528ffeouO87uhi4W1nWT"]
          })
          expect(yield* history.get("ses_dfd981f")).toMatchObject({ id: "kept" })
        }),
      "list"
    )
  )
})
