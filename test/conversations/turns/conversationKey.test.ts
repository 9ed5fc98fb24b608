/** Keys of conversations: what is one, and that no two of them are the same in the store. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { conversationKey, keyOfText, keyText } from "../../../src/conversations/turns/conversationKey.ts"
import { turnDigest, turnRequest } from "../../../src/conversations/turns/turnRequest.ts"

const problemOf = (input: unknown) =>
  Result.match(conversationKey(input), { onFailure: ({ message }) => message, onSuccess: () => "none" })

describe("the key of a conversation", () => {
  it.each([
    ["", "conversation: is empty"],
    [[], "conversation: has no parts"],
    [["a", ""], "conversation: part 2 is empty"],
    [Array.from({ length: 10_000 }, () => "a"), "conversation: has 10000 parts; at most 16 are possible"],
    ["a".repeat(257), "conversation: has 257 characters; at most 256 are possible"],
    ["a".repeat(1_000_000), "conversation: has 1000000 characters; at most 256 are possible"],
    ["a\nb", "conversation: has a control character"],
    [["a", "\u001b[2J"], "conversation: part 2 has a control character"],
    [17, "conversation: is a number: make a text of it, as in String(chatId)"],
    [["telegram", 17], "conversation: part 2 is a number: make a text of it, as in String(chatId)"],
    [null, "conversation: is not a text"],
    [{ a: 1 }, "conversation: is not a text"],
    [[["a"]], "conversation: part 1 is not a text"]
  ])("refuses %j", (input, message) => assert.strictEqual(problemOf(input), message))

  it.each(["-x", "../x", 'a","b', "a/b", "'; drop table turns; --", "\u{1f600}", "\ud800", " ", "a".repeat(256)])(
    "takes %j",
    (text) => assert.strictEqual(problemOf(text), "none")
  )

  const Part = Schema.Union([
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8)),
    Schema.Literals(['"', ",", "[", "]", "\\", '","', "/", ":", " ", "\u2028"])
  ])
  const Key = Schema.Array(Part).check(Schema.isMinLength(1), Schema.isMaxLength(4))

  it.prop("is stored as a text of its own", [Key, Key], ([one, other]) => {
    const [first, second] = [conversationKey(one), conversationKey(other)]
    if (Result.isFailure(first) || Result.isFailure(second)) return
    const isSame = JSON.stringify(one) === JSON.stringify(other)
    assert.strictEqual(keyText(first.success) === keyText(second.success), isSame)
    assert.deepStrictEqual(keyOfText(keyText(first.success)), first.success)
    assert.strictEqual(turnDigest(first.success, {}) === turnDigest(second.success, {}), isSame)
  })

  it.each(["", "a", "{}", "[1]", '["a"', "null", JSON.stringify(Array.from({ length: 17 }, () => "a"))])(
    "is not read from %j",
    (text) => assert.isUndefined(keyOfText(text))
  )

  it("is the same for a text and for a list of it alone", () => {
    const [one, other] = [conversationKey("a"), conversationKey(["a"])].map((key) => Result.getOrThrow(key))
    assert.deepStrictEqual(one, other)
  })
})

describe("the parameters of a turn", () => {
  it.each([
    [null, "params: is not an object"],
    [[], "params: is not an object"],
    [{ conversation: "" }, "conversation: is empty"],
    [{ turnId: "" }, "turnId: Expected 1 to 128 characters without control characters"],
    [{ turnId: "a\u0000" }, "turnId: Expected 1 to 128 characters without control characters"],
    [{ turnId: "a".repeat(129) }, "turnId: Expected 1 to 128 characters without control characters"],
    [{ turnId: 7 }, "turnId: Expected a text, not a number"],
    [{ fresh: "yes" }, "fresh: Expected true or false, not a text"],
    [{ onMissing: "begin" }, 'onMissing: Expected "fail" or "fresh"'],
    [{ onInterrupted: "agian" }, 'onInterrupted: Expected "fail", "continue" or "again"'],
    [{ conversation: "a", newSessionId: "x" }, "newSessionId: is not for a conversation"],
    [{ conversation: "a", ephemeral: true }, "ephemeral: is not for a conversation"],
    [{ conversation: "a", fresh: true, sessionId: "x" }, "sessionId: is the session to go on with"],
    [{ conversation: "a", fresh: true, forkSession: true }, "forkSession: needs a session"]
  ])("are refused by name: %j", (input, message) => {
    const request = turnRequest(input)
    if (Result.isSuccess(request)) return assert.fail("it was taken")
    assert.include(request.failure.message, message)
  })

  it("leaves the agent's own to the agent", () => {
    const request = Result.getOrThrow(turnRequest({ conversation: "a", prompt: "hello", model: 7, nonsense: true }))
    const expected: object = { prompt: "hello", model: 7, nonsense: true }
    assert.deepStrictEqual<object>(request.params, expected)
  })
})
