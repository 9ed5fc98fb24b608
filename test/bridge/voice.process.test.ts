/** Voice messages become texts of turns; what cannot be transcribed is told, and nothing is lost. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Layer, Result, Stream } from "effect"
import { type BridgeOptions, checkBridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const echoes = TestRuntime.layer(({ prompt }) => [{ type: "text", text: `asked: ${prompt}` }])
const voice = (content = "speech", more = {}) => ({
  attachments: [{ name: "v.ogg", content, kind: "voice" as const, ...more }]
})
const opened = (transcribe: BridgeOptions["transcribe"], more: Partial<BridgeOptions> = {}) =>
  Effect.flatMap(bridgeOf(echoes, { transcribe, ...more }), (open) => open({ accountId: crypto.randomUUID() }))

/** A program that does what the script says. */
const program = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "reins-voice-"))
      const path = join(directory, "transcriber")
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o700)
      return { directory, path }
    }),
    ({ directory }) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

describe("a voice message", () => {
  it.live("is asked as its text, which is shown above the answer, and the agent does not get its file", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const {
        say,
        shown: visible,
        ours
      } = yield* opened((path) => {
        paths.push(path)
        return Promise.resolve(` clean *up*, ${readFileSync(path, "utf8")}\n`)
      })
      yield* say("", {
        attachments: [{ name: "", content: "please", kind: "voice", mimeType: "audio/ogg; codecs=opus" }]
      })
      yield* visible("ann", "asked: ")
      assert.deepStrictEqual(
        ours("ann").map(({ text }) => text),
        ['Heard: "clean \\*up\\*\\, please"', "asked: clean *up*, please"]
      )
      assert.match(basename(paths[0] ?? ""), /-voice\.ogg$/)
    }).pipe(Effect.scoped)
  )

  it.live("with a text and another file is asked with both", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* opened(() => Effect.succeed("spoken words"))
      const attachments = [...voice().attachments, { name: "a.txt", content: "x" }]
      yield* say("written words", { attachments })
      const { text } = yield* visible("ann", "asked: ")
      assert.match(text, /^asked: written words\nspoken words\n\[file: \S+a\.txt\]$/)
    }).pipe(Effect.scoped)
  )

  it.live("is bounded, and a text of any content runs no command", () =>
    Effect.gen(function* () {
      const measures = TestRuntime.layer(({ prompt }) => [
        { type: "text", text: `${prompt.slice(0, 5)} of ${prompt.length}` }
      ])
      const transcribe = () => `/stop ${"x".repeat(200_000)}`
      const {
        say,
        shown: visible,
        ours
      } = yield* (yield* bridgeOf(measures, { transcribe }))({
        accountId: crypto.randomUUID()
      })
      yield* say("", voice())
      yield* visible("ann", "/stop of 100000")
      assert.isBelow(ours("ann")[0]?.text.length ?? 0, 400)
    }).pipe(Effect.scoped)
  )

  const failures = [
    ["rejects", () => Promise.reject(new Error("SECRET of the host")), "the log of the host has the details"],
    [
      "throws",
      () => {
        throw new Error("SECRET of the host")
      },
      "the log of the host has the details"
    ],
    ["gives no text", () => 7 as unknown as string, "the log of the host has the details"],
    ["hears nothing", () => Effect.succeed(" \n"), "no words were recognised"]
  ] as const
  it.live.each(failures)(
    "is told as not transcribed if the function %s, and the agent is not asked",
    ([, transcribe, problem]) =>
      Effect.gen(function* () {
        const { say, shown: visible, ours } = yield* opened(transcribe)
        yield* say("", voice())
        yield* visible("ann", "could not be transcribed")
        yield* say("and this?")
        yield* visible("ann", "asked: and this?")
        assert.deepStrictEqual(
          ours("ann").map(({ text }) => text),
          [
            `Your voice message could not be transcribed: ${problem}. Please write it, or send it again.`,
            "asked: and this?"
          ]
        )
      }).pipe(Effect.scoped)
  )

  it.live("that fails but has a text is asked with the text and the file", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* opened(() => Effect.fail("no"))
      yield* say("the text", voice())
      assert.match((yield* visible("ann", "asked: ")).text, /^asked: the text\n\[file: \S+v\.ogg\]$/)
      yield* visible("ann", "could not be transcribed")
    }).pipe(Effect.scoped)
  )

  it.effect("is given up after two minutes", () =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      const { say, seen: visible } = yield* opened((_, { signal }) => {
        signals.push(signal)
        return Promise.withResolvers<string>().promise
      })
      yield* say("", voice())
      yield* visible("ann", "could not be transcribed")
      assert.isAtLeast(yield* Clock.currentTimeMillis, 120_000)
      assert.isTrue(signals[0]?.aborted)
    }).pipe(Effect.scoped)
  )

  it.live("is stopped while it is transcribed", () =>
    Effect.gen(function* () {
      const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const never = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const {
        say,
        shown: visible,
        ours
      } = yield* opened(() => Effect.onInterrupt(never, () => Deferred.succeed(interrupted, undefined)))
      yield* say("", voice())
      yield* Deferred.await(begun)
      yield* say("/stop")
      yield* Deferred.await(interrupted)
      yield* visible("ann", "Stopped.")
      yield* say("next")
      yield* visible("ann", "asked: next")
      assert.lengthOf(ours("ann"), 2)
    }).pipe(Effect.scoped)
  )

  it.live("is transcribed by the next host if this one ends meanwhile, and is asked once", () =>
    Effect.gen(function* () {
      const account = { accountId: crypto.randomUUID() }
      let calls = 0
      const begun = yield* Deferred.make<void>()
      const transcribe = () => {
        calls += 1
        return calls === 1 ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : Effect.succeed("words")
      }
      const stores = yield* Effect.map(Layer.build(Store.layerMemory()), (context) => Layer.succeedContext(context))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { say } = yield* (yield* bridgeOf(echoes, { transcribe }, stores))(account)
          yield* say("", voice())
          yield* Deferred.await(begun)
        })
      )
      const { shown: visible, ours } = yield* (yield* bridgeOf(echoes, { transcribe }, stores))(account)
      yield* visible("ann", "asked: words")
      assert.strictEqual(ours("ann").filter(({ text }) => text === "asked: words").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is transcribed once, also if the host ends while its turn runs", () =>
    Effect.gen(function* () {
      const account = { accountId: crypto.randomUUID() }
      let calls = 0
      const options = { onInterrupted: "again", transcribe: () => `words ${++calls}` } as const
      const stores = yield* Effect.map(Layer.build(Store.layerMemory()), (context) => Layer.succeedContext(context))
      const begun = yield* Deferred.make<void>()
      const silent = TestRuntime.layer(() =>
        Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { say } = yield* (yield* bridgeOf(silent, options, stores))(account)
          yield* say("", voice())
          yield* Deferred.await(begun)
        })
      )
      const { shown: visible } = yield* (yield* bridgeOf(echoes, options, stores))(account)
      yield* visible("ann", "asked: words 1")
      assert.strictEqual(calls, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is not accepted without a transcriber, and the reply says how to turn it on", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* opened(undefined)
      yield* say("", voice())
      assert.match((yield* visible("ann", "was not accepted")).text, /`transcribe`.*`\[transcribe\]` in reins\.toml/)
    }).pipe(Effect.scoped)
  )
})

describe("a program that transcribes", () => {
  const heardBy = Effect.fnUntraced(function* (
    script: string,
    args: ReadonlyArray<string> = [],
    more: { readonly timeout?: number; readonly env?: Record<string, string | undefined> } = {}
  ) {
    const { path } = yield* program(script)
    const { say, until, ours } = yield* opened({ command: [path, ...args], ...more })
    yield* say("", voice())
    return yield* until(() => ours("ann").find(({ text }) => /^asked: |could not be/.test(text))?.text)
  })

  it.live.each([
    ["gets the path last", 'cat "$2"', ["-f"], "asked: speech"],
    [
      "gets the path in its place",
      'cat "$(echo "$1" | cut -c8-)"; echo "$2"',
      ["--file={file}", "-np"],
      "asked: speech-np"
    ],
    ["may write much to stderr", 'head -c 300000 /dev/zero >&2; cat "$1"', [], "asked: speech"]
  ] as const)("%s", ([, script, args, expected]) =>
    Effect.scoped(Effect.map(heardBy(script, args), (text) => assert.strictEqual(text.replace("\n", ""), expected)))
  )

  it.live("has the environment of the host, with the given changes", () =>
    Effect.gen(function* () {
      const text = yield* heardBy('echo "$MODEL $XDG_CONFIG_HOME."', [], {
        env: { MODEL: "large", XDG_CONFIG_HOME: undefined }
      })
      assert.strictEqual(text, "asked: large .")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["fails", "echo words; echo /secret/path >&2; exit 3"],
    ["is ended by a signal", "kill -9 $$"],
    ["writes nothing", "true"]
  ] as const)("that %s is told without its output", ([, script]) =>
    Effect.gen(function* () {
      const text = yield* heardBy(script)
      assert.match(text, /^Your voice message could not be transcribed: [a-z ]+\. Please write it, or send it again\.$/)
    }).pipe(Effect.scoped)
  )

  it.live("that takes too long is ended, with what it started", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* program('echo "$$" > "$(dirname "$0")/pid"; sleep 600')
      const { say, shown: visible } = yield* opened({ command: [path], timeout: 1_000 })
      yield* say("", voice())
      yield* visible("ann", "could not be transcribed")
      const pid = Number(readFileSync(join(directory, "pid"), "utf8"))
      assert.throws(() => process.kill(-pid, 0), /ESRCH/)
    }).pipe(Effect.scoped)
  )

  it.live("that does not exist is told", () =>
    Effect.gen(function* () {
      const { say, shown: visible } = yield* opened({ command: ["no-such-program-of-reins"] })
      yield* say("", voice())
      yield* visible("ann", "could not be transcribed")
    }).pipe(Effect.scoped)
  )
})

it.each([
  [{ command: [] }, /transcribe\.command/],
  [{ command: [""] }, /transcribe\.command/],
  [{ command: "whisper-cli" }, /transcribe\.command/],
  [{ command: ["a\0"] }, /transcribe\.command/],
  [{ command: ["a"], timeout: 0 }, /transcribe\.timeout/],
  [{ commands: ["a"] }, /transcribe\.commands/],
  [7, /transcribe/]
])("an invalid option is refused: %j", (transcribe, message) => {
  const checked = checkBridgeOptions({ agents: { test: echoes }, transcribe: transcribe as never })
  assert.match(Result.getOrThrow(Result.flip(checked)).message, message)
})
