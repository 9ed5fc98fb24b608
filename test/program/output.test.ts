/** The way out of the program: what reaches a terminal steers nothing and hides nothing, whatever was to be said. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stdio } from "effect"
import { describe, expect, it } from "vitest"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { harmless } from "../../src/contract/text/harmless.ts"
import { consoleOn } from "../../src/program/output.ts"
import { program } from "../../src/program/program.ts"
import { printable, sequence, styled } from "../../src/program/sequences.ts"
import { foreign, unseenIn } from "../kit/foreignText.ts"
import { runs } from "../kit/runs.ts"
import { bare, live, plain, transcriptOf } from "./transcriptEvents.ts"

const room = fileURLToPath(new URL("../../src/program/", import.meta.url))

describe("a sequence", () => {
  it("is written as it is, and measured as nothing", () => {
    expect(printable(`${sequence("\x1b[2A\r\x1b[J")}a${styled("\x1b[1mb\x1b[0m")}`)).toBe(
      "\x1b[2A\r\x1b[Ja\x1b[1mb\x1b[0m"
    )
  })

  it("of others is shown, also where it stands among ours or was cut", () => {
    const ours = sequence("\x1b[1m")
    expect(printable(`${ours}\x1b[31m${ours}`)).toBe("\x1b[1m\\u001b[31m\x1b[1m")
    expect(printable(ours.slice(0, -4))).toMatch(/^\\u001b|^$/)
    expect(printable(sequence("\x1b]0;title\x07"))).toBe("\\u001b]0;title\\u0007")
    expect(printable("\x1b[1m\x1b[1234567890m")).toBe("\\u001b[1m\\u001b[1234567890m")
  })
})

it("has one file that writes", () => {
  const writers = readdirSync(room, { recursive: true, encoding: "utf8" }).filter((name) => {
    if (!name.endsWith(".ts")) return false
    const text = readFileSync(join(room, name), "utf8")
    return /\bconsole\.|process(?:\.|\[)[^\n]*\.write\((?!"")|\bwriteSync\(|\bdisplay\(/.test(text)
  })
  // Texts of ours alone, for a process that can load nothing else or need not: one of `main.ts`, and the help.
  expect(writers).toEqual(["main.ts", "output.ts", "precomputed.ts"])
})

/** Words that the contract fixes. */
const fixed = new Set(["type", "kind", "category", "reason", "outcome", "decision", "by", "signal", "status"])

const withForeign = (value: unknown, text: string, key = ""): unknown => {
  if (typeof value === "string") return fixed.has(key) ? value : `${text}${value}`
  if (Array.isArray(value)) return value.map((item) => withForeign(item, text, key))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withForeign(item, text, name)]))
}

const isEvent = Schema.is(AgentEvent)
const events = Arbitrary.array(Arbitrary.schema(AgentEvent), { maxLength: 6 })
const encode = Schema.encodeSync(AgentEvent)

describe("events with anything in any field", () => {
  const drawn = ([input, text]: readonly [ReadonlyArray<AgentEvent>, string]) => {
    const reported = input.map((event) => {
      const changed = withForeign(event, text)
      return isEvent(changed) ? changed : event
    })
    for (const surface of [plain, live]) {
      const output = transcriptOf(reported, surface)
      expect(unseenIn(bare(output))).toEqual([])
      // The written text is the measured one: nothing is left to be escaped at the end.
      expect(harmless(bare(output))).toBe(bare(output))
    }
    for (const event of reported) {
      const line = printable(JSON.stringify(encode(event)))
      expect(unseenIn(line)).toEqual([])
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(encode(event))))
    }
  }
  effectIt.prop("are drawn and printed harmlessly", [events, foreign], drawn, runs(300))
})

/** The output of the program for a command line that it refuses. */
const refusal = (args: ReadonlyArray<string>) => {
  let printed = ""
  const print = (_: unknown, text: string) => {
    printed += printable(text)
  }
  return Effect.exit(program).pipe(
    Effect.provide(consoleOn(print)),
    Effect.provideServiceEffect(
      Stdio.Stdio,
      Effect.map(Stdio.Stdio, (stdio) => ({ ...stdio, args: Effect.succeed(args) }))
    ),
    Effect.provide(NodeServices.layer),
    Effect.map(() => printed)
  )
}

describe("a command line with anything in it", () => {
  const wrong = [
    (text: string) => [text],
    (text: string) => ["run", `--agnt${text}`, "x"],
    (text: string) => ["run", "--agent", `c${text}`, "x"],
    (text: string) => ["run", "--timeout", `s${text}`, "x"],
    (text: string) => ["run", "x", `y${text}`],
    (text: string) => ["chat", `-v ${text}`],
    (text: string) => ["doctor", `-${text}`]
  ]
  effectIt.effect.prop(
    "is refused harmlessly",
    [foreign],
    ([text]) =>
      Effect.gen(function* () {
        for (const args of wrong) {
          const printed = yield* refusal(args(`q${text}`))
          expect(printed).not.toBe("")
          expect(unseenIn(bare(printed))).toEqual([])
        }
      }),
    runs(40)
  )
})
