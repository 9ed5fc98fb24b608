/** Lines → vocabulary → differences: the same for two runs of one version, and each kind of drift told apart. */
import { assert, describe, it } from "vitest"
import { clis } from "../../../src/cli/clis.ts"
import { compare, type OurUse } from "../../../tools/drift/compare.ts"
import { merge } from "../../../tools/drift/merge.ts"
import { outermost, placesOf } from "../../../tools/drift/paths.ts"
import { type HeardLine, spyOn } from "../../../tools/drift/spy.ts"
import { pairsOf, type Recording, reduce, type Vocabulary } from "../../../tools/drift/vocabulary.ts"
import { translate } from "../../kit/translate.ts"

/** As a run of Claude Code hears them. */
const hear = (lines: ReadonlyArray<unknown>): ReadonlyArray<HeardLine> => {
  const received: Array<HeardLine> = []
  const decoder = spyOn("claude", clis.claude, (line) => received.push(line)).decoder({ prompt: "go on" })
  for (const line of lines) translate(decoder, line)
  return received
}

const init = { type: "system", subtype: "init", session_id: "1a2b", model: "m", extra: { "claude-opus-5": 1 } }
const tasks = (...ids: ReadonlyArray<string>) => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks: ids.map((task_id) => ({ task_id, task_type: "shell", description: "d" }))
})
const notification = { type: "system", subtype: "task_notification", task_id: "t1", status: "completed" }
const result = { type: "result", subtype: "success", is_error: false, result: "hi", total_cost_usd: 0.25, uuid: "u" }

const vocabularyOf = (...times: ReadonlyArray<ReadonlyArray<unknown>>): Vocabulary =>
  reduce(
    "1.0.0",
    times.map((lines): Recording => ({ one: hear(lines) })),
    {}
  )

const noUse: OurUse = { asks: () => false, mentions: () => false, isKindWord: (_, path) => /^(sub)?type$/.test(path) }
const differences = (before: Vocabulary, now: Vocabulary, use = noUse) =>
  compare(before, now, use).map(({ type, where, what }) => `${type} | ${where} | ${what}`)

describe("places", () => {
  it("have types, tags of elements and no ids", () => {
    const line = { a: { gpt_1: null, "claude-opus-5": 1, ses_4711: true }, list: [{ type: "text", text: "x" }, 3, []] }
    assert.deepStrictEqual(
      [...placesOf(line)],
      [
        "a: object",
        "a.gpt_1: null",
        "a.*: number",
        "a.*: boolean",
        "list: array",
        "list[text]: object",
        "list[text].type: string",
        "list[text].text: string",
        "list[]: number",
        "list[]: array"
      ]
    )
  })

  it("that lie in another one are left out", () => {
    const places = ["a: object", "a.b: string", "ab: string", "c[]: object", "c[].d: null"]
    assert.deepStrictEqual(outermost(places), ["a: object", "ab: string", "c[]: object"])
  })
})

describe("a vocabulary", () => {
  it("is the same whatever the ids, texts, numbers and repetitions are", () => {
    const other = { ...init, session_id: "ffff", model: "another", extra: { "claude-opus-6": 7 } }
    assert.deepStrictEqual(vocabularyOf([init, result]), vocabularyOf([other, other, { ...result, result: "bye" }]))
  })

  it("knows what our decoder reads, from the decoder", () => {
    const { read = [] } = vocabularyOf([init]).wires["run"]?.["system/init"] ?? {}
    assert.includeMembers([...read], ["session_id", "model"])
    assert.notInclude(read, "extra")
  })

  it("marks what is there only at times", () => {
    const { extra: _, ...bare } = init
    const [words] = Object.values(vocabularyOf([init, notification], [bare]).wires["run"] ?? {})
    assert.include(words?.sometimes ?? [], "extra: object")
    assert.include(words?.always ?? [], "model: string")
    const rare = vocabularyOf([init, notification], [bare]).wires["run"]?.["system/task_notification/completed"]
    assert.isTrue(rare?.isRare)
  })

  it("has the order of kinds, with their ends", () => {
    assert.deepStrictEqual([...pairsOf(["a", "b", "b", "a"])], ["^ → a", "a → b", "b → a", "a → $"])
    assert.deepStrictEqual([...pairsOf([])], ["^ → $"])
  })
})

describe("two vocabularies of one version", () => {
  const { extra: _, ...bare } = init
  const [one, other] = [vocabularyOf([init, notification, tasks(), result]), vocabularyOf([bare, tasks(), result])]

  it("merged are what repetitions would have given", () => {
    const both = vocabularyOf([init, notification, tasks(), result], [bare, tasks(), result])
    assert.deepStrictEqual(merge(one, other), both)
    assert.deepStrictEqual(merge(other, one), both)
    assert.deepStrictEqual(merge(both, both), both)
    for (const now of [one, other]) assert.deepStrictEqual(differences(merge(one, other), now), [])
  })

  it("are not merged if it is missing, or of another version", () => {
    assert.strictEqual(merge(undefined, one), one)
    assert.strictEqual(merge({ ...other, version: "0.9.0" }, one), one)
  })
})

describe("between two vocabularies", () => {
  const before = vocabularyOf([init, tasks("t1"), result, notification, tasks(), result])

  it("has no difference to itself", () => assert.deepStrictEqual(differences(before, before), []))

  it("a field that we read and that is gone is a break, another one is not", () => {
    const now = vocabularyOf([
      { type: "system", subtype: "init", session_id: "s" },
      tasks("t1"),
      result,
      notification,
      tasks(),
      { ...result, uuid: 5 }
    ])
    assert.deepStrictEqual(differences(before, now), [
      "new place | run result/success | uuid: number",
      "break | run system/init | model: string",
      "gone | run system/init | extra: object"
    ])
  })

  it("a field that is read only now is a break, too", () => {
    const now = vocabularyOf([{ ...init, extra: undefined }, tasks("t1"), result, notification, tasks(), result])
    const { extra: _, ...bare } = init
    const without = vocabularyOf([bare, tasks("t1"), result, notification, tasks(), result])
    const asks: OurUse["asks"] = (_wire, kind, path) => kind === "system/init" && path === "extra"
    assert.deepStrictEqual(differences(before, without, { ...noUse, asks }), [
      "break | run system/init | extra: object"
    ])
    assert.isAbove(differences(before, now).length, 0)
  })

  it("another order of the same kinds is told", () => {
    const now = vocabularyOf([init, tasks("t1"), result, tasks(), notification, result])
    assert.deepStrictEqual(differences(before, now), [
      "order gone | one | result/success → system/task_notification/completed",
      "order gone | one | system/task_notification/completed → system/background_tasks_changed",
      "order new | one | result/success → system/background_tasks_changed",
      "order new | one | system/background_tasks_changed → system/task_notification/completed",
      "order new | one | system/task_notification/completed → result/success"
    ])
  })

  it("kinds that are new or gone are told once, and whether we know them", () => {
    const unheard = { type: "hologram", data: { a: 1 } }
    const now = vocabularyOf([init, unheard, result])
    assert.deepStrictEqual(
      differences(before, now).filter((difference) => !difference.startsWith("order")),
      [
        "break | run | system/background_tasks_changed",
        "break | run | system/task_notification/completed",
        "new kind | run | hologram, which comes as an unknown event"
      ]
    )
  })

  it("an occasional entry does not count as a difference, in either direction", () => {
    const { extra: _, ...bare } = init
    const racy = vocabularyOf([init, notification, tasks(), result], [bare, tasks(), notification, result])
    for (const now of [
      [init, notification, tasks(), result],
      [bare, tasks(), notification, result]
    ]) {
      assert.deepStrictEqual(differences(racy, vocabularyOf(now)), [])
    }
    const always = vocabularyOf([init, notification, tasks(), result])
    assert.deepStrictEqual(differences(always, racy), [])
  })

  it("flags that are gone are a break where we use them", () => {
    const offers = (...flags: ReadonlyArray<string>) => ({ ...before, commands: { "x --help": flags } })
    const mentions: OurUse["mentions"] = (word) => word === "--ours"
    assert.deepStrictEqual(differences(offers("--ours", "--theirs"), offers("--new"), { ...noUse, mentions }), [
      "break | x --help | --ours",
      "offered gone | x --help | --theirs",
      "offered new | x --help | --new"
    ])
  })
})
