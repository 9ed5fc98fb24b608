/** A recording, played back by a real process, is the run that was recorded. */
import { Effect, Stream } from "effect"
import { assert } from "vitest"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { boundedFacts } from "../../src/cli/boundedFacts.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { codex } from "../../src/cli/codex/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { type Fixture, recordingPath } from "../cli/fixtures.ts"
import { killGrace } from "../kit/agent.ts"
import { resultOf } from "../kit/events.ts"
import { eventsOf } from "./kit.ts"

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The process as it ended when it was recorded. */
const asRecorded = (cli: Cli, fixture: Fixture) => {
  const { exit, stderr } = fixture.expectation
  const last = "code" in exit ? Step.exit(exit.code) : Step.signal(exit.signal as NodeJS.Signals)
  const end = [...(stderr === undefined ? [] : [Step.stderr(`${stderr}\n`)]), last]
  return FakeCli.replay(cli.id as "claude", recordingPath(cli, fixture), { end })
}

/** Codex remembers its threads: each run is the first of its CLI. */
const fresh = (cli: Cli) => (cli.id === "codex" ? codex : cli)

/** Several recordings are of one session, and the runs of this test go on at once. */
const isQueued = (event: AgentEvent) => event.type === "notice" && event.kind === "queued"

/** The recording, played by a process, gives the events and the result that were reviewed. */
export const playsAsReviewed = (cli: Cli, workingDirectory: string) =>
  Effect.fnUntraced(function* (fixture: Fixture) {
    const { params, events: expected, result, goesOn } = fixture.expectation
    const { command } = yield* InstalledFake.make(asRecorded(cli, fixture))
    const events = yield* AgentRuntime.use((agent) =>
      Stream.runCollect(agent.execute({ prompt: "hello", workingDirectory, ...params }))
    ).pipe(Effect.provide(AgentRuntime.layer(fresh(cli), { killGrace, command })), Effect.provide(nodePlatform))
    const reported = eventsOf(events).filter((event) => !isQueued(event))
    // Where more prompts followed, a run of one prompt has their beginning.
    const beginning = goesOn === true ? expected.slice(0, reported.length) : expected
    const absolute = beginning.map((event) => boundedFacts(event, workingDirectory))
    assert.deepStrictEqual(plain(reported), plain(absolute), fixture.name)
    if (goesOn === true) return
    const { outcome, reason, text, usage } = result
    const ended = resultOf(events)
    const facts = { outcome: ended.outcome, reason: ended.reason, text: ended.text, usage: ended.usage }
    assert.deepStrictEqual(plain(facts), plain({ outcome, reason, text, usage }), fixture.name)
  }, Effect.scoped)
