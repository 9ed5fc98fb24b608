/** Access to an account: pairing, groups that move, strangers; with a test clock. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { AccessError, AccessOptions } from "../../../src/bridge/access/AccessOptions.ts"
import { type AccessMemory, makeAccess } from "../../../src/bridge/access/makeAccess.ts"
import { codeIn, makePairing, type Pairing, pairingCode } from "../../../src/bridge/access/pairing.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { account, chat, content, person } from "../incomingUpdates.ts"

/** A memory that records what was written. */
const makeMemory = (isBroken = false) => {
  const people = new Map<string, string>()
  const marks = new Map<string, string>()
  const broken = { isBroken }
  const stored: AccessMemory<"no store"> = {
    members: {
      all: Effect.sync(() => [...people].map(([person, role]) => ({ person, role }))),
      add: (person, role) =>
        Effect.suspend(() =>
          broken.isBroken ? Effect.fail("no store" as const) : Effect.sync(() => void people.set(person, role))
        )
    },
    marks: {
      all: (prefix) =>
        Effect.sync(() => [...marks].flatMap(([name, value]) => (name.startsWith(prefix) ? [{ name, value }] : []))),
      set: (name, value) => Effect.sync(() => void marks.set(name, value))
    }
  }
  return { people, marks, broken, kept: stored }
}

const opened = (options: AccessOptions, memory: AccessMemory<"no store">, pairing?: Pairing) =>
  makeAccess({ options, channel: account, memory, pairing })

const received = (message: ChannelMessage) => ({ _tag: "Message", message }) as const

const ann = person("11")
const bob = person("12")

describe("access without listed people", () => {
  it.effect("is refused, with the fix", () =>
    Effect.gen(function* () {
      for (const options of [{}, { users: [], groups: { "-1": {} } }, { groups: { "-1": { users: [] } } }]) {
        const error: "no store" | AccessError = yield* Effect.flip(opened(options, makeMemory().kept))
        if (error === "no store") return assert.fail()
        assert.match(error.message, /names no people.*pairing/)
      }
    })
  )
  it.effect("is allowed if a person has paired or is listed in a group", () =>
    Effect.gen(function* () {
      const { kept: stored, people } = makeMemory()
      people.set("11", "owner")
      const { enter } = yield* opened({}, stored)
      assert.deepStrictEqual(yield* enter(received(content("hi", ann))), { _tag: "Allowed", role: "owner" })
      yield* opened({ groups: { "-1": { users: ["12"] } } }, makeMemory().kept)
    })
  )
  it.effect("ignores stored people with an invalid id or role", () =>
    Effect.gen(function* () {
      const { kept: stored, people } = makeMemory()
      people.set("@ann", "owner").set("13", "root")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(opened({}, stored))))
    })
  )
})

describe("pairing", () => {
  const paired = Effect.fnUntraced(function* (options: AccessOptions = {}) {
    const memory = makeMemory()
    const pairing = yield* makePairing()
    return { ...memory, pairing, ...(yield* opened(options, memory.kept, pairing)) }
  })

  it("makes unique codes of at least 40 bits, readable in each spelling", () => {
    const codes = Array.from({ length: 500 }, () => pairingCode())
    assert.strictEqual(new Set(codes).size, 500)
    assert.isAtLeast(10 * Math.log2(27), 40)
    for (const code of codes) {
      assert.match(code, /^[2-9BCDFGHJKMNPQRSTVWXZ]{5}-[2-9BCDFGHJKMNPQRSTVWXZ]{5}$/)
      const letters = code.replace("-", "")
      for (const typed of [code, letters, code.toLowerCase(), ` ${code}\n`, `/start ${code}`, code.replace("-", " ")]) {
        assert.strictEqual(codeIn(typed), letters)
      }
    }
    for (const text of ["hello", "everything", "", "x".repeat(100_000), "/start", "2345678901"]) {
      assert.isUndefined(codeIn(text))
    }
  })

  it.effect("makes its sender the owner, once, also after a restart", () =>
    Effect.gen(function* () {
      const { enter, pairing, people, kept: stored, roleOf } = yield* paired()
      assert.deepStrictEqual(yield* enter(received(content(pairing.code, ann))), { _tag: "Paired" })
      assert.deepStrictEqual([...people], [["11", "owner"]])
      assert.deepStrictEqual(yield* enter(received(content("hi", ann))), { _tag: "Allowed", role: "owner" })
      assert.strictEqual(roleOf({ conversation: chat("11"), chat: "direct", sender: ann }), "owner")
      assert.strictEqual((yield* enter(received(content(pairing.code, bob))))._tag, "Refused")
      const again = yield* opened({}, stored)
      assert.strictEqual((yield* again.enter(received(content("hi", ann))))._tag, "Allowed")
    })
  )

  it.effect("has five attempts in total, and ordinary words are not attempts", () =>
    Effect.gen(function* () {
      const { enter, pairing, people } = yield* paired()
      for (let at = 0; at < 50; at++) yield* enter(received(content("hello", person(String(100 + at)))))
      for (let at = 0; at < 4; at++) {
        assert.strictEqual((yield* enter(received(content("22222-22222", person(String(200 + at))))))._tag, "Refused")
      }
      assert.isTrue(yield* pairing.isOpen)
      yield* enter(received(content("22222-22222", bob)))
      assert.isFalse(yield* pairing.isOpen)
      assert.strictEqual((yield* enter(received(content(pairing.code, ann))))._tag, "Refused")
      assert.strictEqual(people.size, 0)
    })
  )

  it.effect("accepts the fifth attempt", () =>
    Effect.gen(function* () {
      const { enter, pairing } = yield* paired()
      for (let at = 0; at < 4; at++) yield* enter(received(content("22222-22222", bob)))
      assert.strictEqual((yield* enter(received(content(pairing.code, ann))))._tag, "Paired")
    })
  )

  it.effect("ends after ten minutes, also if the clock is set back", () =>
    Effect.gen(function* () {
      const one = yield* paired()
      yield* TestClock.adjust("599 seconds")
      assert.isTrue(yield* one.pairing.isOpen)
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* one.pairing.isOpen)
      assert.strictEqual((yield* one.enter(received(content(one.pairing.code, ann))))._tag, "Refused")
      yield* TestClock.setTime(0)
      assert.isFalse(yield* one.pairing.isOpen)
    })
  )

  it.effect("ignores groups, bots, channels and presses", () =>
    Effect.gen(function* () {
      const { enter, pairing, people } = yield* paired({ groups: { "-1": { mention: false } } })
      const text = pairing.code
      const tried = [
        content(text, ann, { conversation: chat("-1"), chat: "group" }),
        content(text, person("11", { isBot: true })),
        content(text, person("-5"))
      ]
      for (const message of tried) assert.strictEqual((yield* enter(received(message)))._tag, "Refused")
      const edit = { _tag: "Edited", ...content(text, ann), messageId: "m1", text } as const
      assert.strictEqual((yield* enter(edit))._tag, "Refused")
      assert.strictEqual(people.size, 0)
      assert.isTrue(yield* pairing.isOpen)
    })
  )

  it.effect("that cannot be stored fails, and can be repeated", () =>
    Effect.gen(function* () {
      const { enter, pairing, broken } = yield* paired()
      broken.isBroken = true
      assert.strictEqual(yield* Effect.flip(enter(received(content(pairing.code, ann)))), "no store")
      assert.strictEqual((yield* enter(received(content("hi", ann))))._tag, "Refused")
      broken.isBroken = false
      assert.strictEqual((yield* enter(received(content(pairing.code, ann))))._tag, "Paired")
    })
  )

  it.effect("answers /whoami 20 times, while it is open", () =>
    Effect.gen(function* () {
      const { enter } = yield* paired()
      for (let at = 0; at < 20; at++) {
        assert.strictEqual((yield* enter(received(content("/whoami", person(String(100 + at))))))._tag, "Asked")
      }
      assert.strictEqual((yield* enter(received(content("/whoami", ann))))._tag, "Refused")
      const closed = yield* paired()
      yield* TestClock.adjust("11 minutes")
      assert.strictEqual((yield* closed.enter(received(content("/whoami", ann))))._tag, "Refused")
    })
  )
})

it.effect("any chat may be a group where any group is allowed", () =>
  Effect.gen(function* () {
    const listed = yield* opened({ owners: ["1"], groups: { "-1": {} } }, makeMemory().kept)
    assert.deepStrictEqual([listed.isGroup("-1"), listed.isGroup("-2")], [true, false])
    const any = yield* opened({ owners: ["1"], groups: { "*": {} } }, makeMemory().kept)
    assert.isTrue(any.isGroup("-2"))
    const move = { _tag: "Moved", conversation: chat("-2"), updateId: "u", chatId: "-200" } as const
    assert.isFalse(yield* any.moved(move))
  })
)

describe("a group that moves", () => {
  const moved = (from: string, to: string) =>
    ({ _tag: "Moved", conversation: chat(from), updateId: "u", chatId: to }) as const
  const inGroup = (chatId: string) => received(content("hi", ann, { conversation: chat(chatId), chat: "group" }))

  it.effect("keeps its entry, also after a restart, and other groups get none", () =>
    Effect.gen(function* () {
      const { kept: stored, marks } = makeMemory()
      const options = { groups: { "-1": { users: ["11"] } } }
      const access = yield* opened(options, stored)
      assert.isTrue(yield* access.moved(moved("-1", "-100")))
      assert.isFalse(yield* access.moved(moved("-7", "-8")))
      assert.isFalse(yield* access.moved(moved("-1", "-101")))
      assert.strictEqual(marks.size, 1)
      for (const each of [access, yield* opened(options, stored)]) {
        assert.strictEqual((yield* each.enter(inGroup("-100")))._tag, "Allowed")
        assert.strictEqual((yield* each.enter(inGroup("-1")))._tag, "Refused")
        assert.strictEqual((yield* each.enter(inGroup("-8")))._tag, "Refused")
      }
    })
  )
})

describe("strangers", () => {
  it.effect("have no access, and 1,000 of them write 100 log lines with only ids", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const log = Logger.make(({ message }) => void lines.push(String(message)))
      const { kept: stored, people, marks } = makeMemory()
      const { enter } = yield* opened({ owners: ["1"] }, stored)
      for (let at = 0; at < 1_000; at++) {
        const sender = person(String(1_000 + at), { name: "SECRET-NAME" })
        const entrance = yield* Effect.provide(enter(received(content("SECRET", sender))), Logger.layer([log]))
        assert.deepStrictEqual(entrance, { _tag: "Refused", reason: "not_listed" })
      }
      assert.strictEqual(lines.length, 100)
      assert.notInclude(lines.join("\n"), "SECRET")
      assert.strictEqual(people.size + marks.size, 0)
    })
  )

  it.effect("do not include listed people, whose rate is measured by a monotonic clock", () =>
    Effect.gen(function* () {
      const { pace } = yield* opened({ owners: ["11"] }, makeMemory().kept)
      for (let at = 0; at < 20; at++) assert.strictEqual(yield* pace(content("hi", ann)), "taken")
      assert.strictEqual(yield* pace(content("hi", ann)), "told")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* pace(content("hi", ann)), "taken")
    })
  )
})
