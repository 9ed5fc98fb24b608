/** Turns that gates are asked about, in a conversation that the test plays: time is that of the test clock. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FiberSet, Stream } from "effect"
import { admit } from "../../../src/agents/engine/admission.ts"
import type { Gate, Permit } from "../../../src/agents/engine/Gate.ts"
import { makeTurn, type Turn } from "../../../src/agents/session/turn.ts"
import { Aborted, Refused } from "../../../src/contract/AgentError.ts"
import type { GateStart, SessionStart, TurnStart } from "../../../src/contract/Start.ts"
import { settled } from "../../kit/scripted.ts"
import { pass } from "../../kit/watched.ts"
import { hear, makeTalk, over, text } from "./talk.ts"

const session: SessionStart = {
  type: "session",
  id: "1",
  cli: "test",
  workingDirectory: "/",
  limits: {},
  params: {}
}
const startOf = ({ id, prompt }: Turn): TurnStart => ({
  type: "turn",
  id,
  cli: "test",
  workingDirectory: "/",
  prompt,
  session
})

/** A gate that keeps each turn until the test lets it in, and tells of what becomes of it. */
const makeDoor = (permit: Permit = {}) => {
  const log: Array<string> = []
  const doors = new Map<string, Deferred.Deferred<void, Refused>>()
  const doorOf = (prompt: string) => {
    const door = doors.get(prompt) ?? Deferred.makeUnsafe<void, Refused>()
    doors.set(prompt, door)
    return door
  }
  const gate: Gate = {
    name: "door",
    admit: Effect.fnUntraced(function* (start: GateStart) {
      const prompt = start.type === "turn" ? start.prompt : ""
      log.push(`asked ${prompt}`)
      start.queued({ problem: "the door is shut" })
      yield* Effect.addFinalizer(() =>
        Effect.andThen(
          Effect.promise(async () => {}),
          Effect.sync(() => log.push(`out ${prompt}`))
        )
      )
      yield* Deferred.await(doorOf(prompt))
      log.push(`in ${prompt}`)
      return permit
    })
  }
  const refusal = new Refused({ gate: "door", problem: "no", retryable: false })
  return {
    log,
    gate,
    refusal,
    open: (prompt: string) => Effect.andThen(Deferred.succeed(doorOf(prompt), undefined), settled),
    refuse: (prompt: string) => Effect.andThen(Deferred.fail(doorOf(prompt), refusal), settled)
  }
}

const makeGated = (gate: Gate) =>
  Effect.gen(function* () {
    const background = yield* FiberSet.makeRuntime<never, void, never>()
    let give: (turn: Turn) => Parameters<typeof admit>[2] = () => () => {}
    const talk = yield* makeTalk((turn) =>
      Effect.tap(admit([gate], startOf(turn), give(turn), background), ({ starting }) => starting ?? Effect.void)
    )
    // The session itself was let in.
    talk.turns.outlet.admit(yield* admit([], session, () => {}, background), background)
    give = (turn) => (notice) => talk.turns.giveNotice(notice, turn)
    const { conversation, stand } = talk
    const isIdle = Effect.raceFirst(Effect.as(conversation.idle, true), Effect.as(settled, false))
    /** The CLI has said that the turn is over. */
    const end = Effect.suspend(() => {
      stand("resting")
      hear(conversation, [over])
      return settled
    })
    return { ...talk, isIdle, end }
  })

const ask = (talk: { readonly conversation: { readonly turn: (turn: Turn) => void } }, prompt: string) =>
  Effect.gen(function* () {
    const turn = makeTurn(prompt)
    talk.conversation.turn(turn)
    yield* settled
    return turn
  })

const storyOf = (turn: Turn) =>
  Effect.map(Stream.runCollect(turn.backlog.events), (events) =>
    events.map((event) => {
      if (event.type === "notice") return event.kind
      return event.type === "turn_done" ? `${event.type} ${event.result.reason}` : event.type
    })
  )

describe("a turn behind a gate", () => {
  it.effect("waits, and says so in its own events; the agent rests, and the session is not idle", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      assert.deepStrictEqual([talk.prompts, door.log], [[], ["asked 1"]])
      assert.deepStrictEqual(talk.phases.at(-1), "rest")
      assert.isFalse(yield* talk.isIdle)
      assert.isFalse(talk.conversation.isResting())
      yield* door.open("1")
      assert.deepStrictEqual(talk.prompts, ["1"])
      yield* talk.end
      assert.deepStrictEqual(door.log, ["asked 1", "in 1", "out 1"])
      assert.isTrue(yield* talk.isIdle)
      assert.deepStrictEqual(yield* storyOf(turn), ["queued", "turn_done completed"])
    })
  )

  it.effect("keeps the order: the next is asked about when the one before was released", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      yield* ask(talk, "1")
      yield* ask(talk, "2")
      assert.strictEqual(talk.conversation.send("3"), "queued")
      yield* door.open("3")
      yield* door.open("2")
      assert.deepStrictEqual([talk.prompts, door.log], [[], ["asked 1"]])
      yield* door.open("1")
      for (const _ of [1, 2, 3]) yield* talk.end
      assert.deepStrictEqual(talk.prompts, ["1", "2", "3"])
      const all = ["1", "2", "3"].flatMap((turn) => [`asked ${turn}`, `in ${turn}`, `out ${turn}`])
      assert.deepStrictEqual(door.log, all)
    })
  )

  it.effect("that is refused ends with the reason, is told to the session, and the next is asked about", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      yield* ask(talk, "2")
      yield* door.refuse("1")
      assert.deepStrictEqual(yield* storyOf(turn), ["queued", "error", "turn_done refused"])
      assert.strictEqual(turn.ended?.failure, door.refusal)
      assert.deepStrictEqual(door.log, ["asked 1", "out 1", "asked 2"])
      talk.conversation.conclude({ failure: undefined }, "")
      talk.broadcast.end()
      const types = (yield* Stream.runCollect(talk.broadcast.events)).map(({ type }) => type)
      assert.deepStrictEqual(types, ["notice", "error", "turn_done", "notice", "done"])
    })
  )

  const leavings = {
    left: (talk, turn) => talk.conversation.leave(turn),
    interrupted: (talk) => talk.conversation.interrupt()
  } satisfies Readonly<Record<string, (talk: Effect.Success<ReturnType<typeof makeGated>>, turn: Turn) => unknown>>
  it.effect.each(Object.entries(leavings))("that is %s is not started, and its gate is given up", ([, leave]) =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      yield* ask(talk, "2")
      leave(talk, turn)
      yield* settled
      assert.deepStrictEqual(turn.ended?.failure, new Aborted())
      assert.deepStrictEqual(door.log, ["asked 1", "out 1", "asked 2"])
      // A gate that has not noticed.
      talk.turns.giveNotice({ type: "notice", kind: "queued", message: "late" }, turn)
      assert.strictEqual((yield* storyOf(turn)).at(-1), "turn_done aborted")
      yield* door.open("1")
      yield* door.open("2")
      assert.deepStrictEqual([talk.prompts, talk.interrupts()], [["2"], 0])
    })
  )

  it.effect("that its session ends under is refused for the same reason, with those behind it", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      const turns = [yield* ask(talk, "1"), yield* ask(talk, "2")]
      talk.conversation.conclude({ failure: new Aborted() }, "")
      yield* settled
      const closed = new Aborted({ closed: "session" })
      assert.deepStrictEqual(
        turns.map(({ ended }) => ended?.failure),
        [closed, closed]
      )
      assert.deepStrictEqual(door.log, ["asked 1", "out 1"])
      assert.deepStrictEqual(talk.prompts, [])
    })
  )

  it.effect("begins when what the CLI began by itself in the meantime is over", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      yield* ask(talk, "1")
      talk.stand("working")
      hear(talk.conversation, [text])
      yield* door.open("1")
      assert.deepStrictEqual(talk.prompts, [])
      yield* talk.end
      assert.deepStrictEqual(talk.prompts, ["1"])
    })
  )

  it.effect("that was let in and is left before it begins is not started, and its gate is released", () =>
    Effect.gen(function* () {
      const door = makeDoor()
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      talk.stand("working")
      hear(talk.conversation, [text])
      yield* door.open("1")
      talk.conversation.leave(turn)
      yield* talk.end
      assert.deepStrictEqual([talk.prompts, door.log], [[], ["asked 1", "in 1", "out 1"]])
      assert.isTrue(yield* talk.isIdle)
    })
  )
})

describe("the permit of a turn", () => {
  it.effect("starting: awaited before the first line; where it fails, nothing is written", () =>
    Effect.gen(function* () {
      const door = makeDoor({ starting: Effect.andThen(Effect.sleep("1 second"), new Aborted()) })
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      yield* door.open("1")
      yield* pass("1 second")
      assert.deepStrictEqual([talk.prompts, turn.ended?.failure?._tag], [[], "Aborted"])
    })
  )

  it.effect(
    "settle: awaited before `turn_done`, for 1 s; what comes meanwhile stands behind it, and the next waits",
    () =>
      Effect.gen(function* () {
        const ends: Array<string> = []
        const door = makeDoor({
          settle: ({ result }) =>
            Effect.andThen(
              Effect.sync(() => ends.push(result.reason)),
              result.text === "slow" ? Effect.never : Effect.sleep("500 millis")
            )
        })
        const talk = yield* makeGated(door.gate)
        const [one] = [yield* ask(talk, "1"), yield* ask(talk, "2")]
        yield* door.open("1")
        yield* door.open("2")
        yield* talk.end
        hear(talk.conversation, [text])
        assert.deepStrictEqual([ends, talk.prompts], [["completed"], ["1"]])
        assert.isTrue(talk.conversation.isResting(), "the turn is over for the process")
        assert.isFalse(yield* talk.isIdle)
        yield* pass("500 millis")
        assert.deepStrictEqual(talk.prompts, ["1", "2"])
        hear(talk.conversation, [{ type: "text", text: "slow" }])
        yield* talk.end
        talk.conversation.conclude({ failure: undefined }, "")
        yield* pass("999 millis")
        assert.deepStrictEqual(yield* storyOf(one), ["queued", "turn_done completed"])
        yield* pass("2 millis")
        yield* talk.turns.outlet.passed
        talk.broadcast.end()
        const types = (yield* Stream.runCollect(talk.broadcast.events)).map(({ type }) => type)
        assert.deepStrictEqual(types, ["notice", "turn_done", "text", "notice", "text", "turn_done", "done"])
      })
  )

  const usage = { type: "usage", usage: { outputTokens: 5 } } as const
  it.effect("onUsage: ends the turn with its reason, by an interrupt, and the session goes on", () =>
    Effect.gen(function* () {
      const refusal = new Refused({ gate: "door", problem: "too dear", retryable: false })
      const door = makeDoor({ onUsage: () => refusal })
      const talk = yield* makeGated(door.gate)
      const turn = yield* ask(talk, "1")
      yield* door.open("1")
      hear(talk.conversation, [usage])
      yield* settled
      assert.strictEqual(talk.interrupts(), 1)
      talk.stand("resting")
      hear(talk.conversation, [{ _tag: "TurnEnded", verdict: { _tag: "Success" }, report: {}, isInterrupted: true }])
      yield* settled
      assert.strictEqual(turn.ended?.failure, refusal)
      yield* ask(talk, "2")
      yield* door.open("2")
      assert.deepStrictEqual(talk.prompts, ["1", "2"])
    })
  )

  it.effect("onUsage: ends the session where the agent does not heed the interrupt", () =>
    Effect.gen(function* () {
      const refusal = new Refused({ gate: "door", problem: "too dear", retryable: false })
      const door = makeDoor({ onUsage: () => refusal })
      const talk = yield* makeGated(door.gate)
      yield* ask(talk, "1")
      yield* door.open("1")
      hear(talk.conversation, [usage])
      yield* pass("10 seconds")
      assert.deepStrictEqual(yield* Deferred.await(talk.conversation.failed), { failure: refusal })
    })
  )
})
