/** Telegram, outside: each bot has a server of its own, and every method of it fails now and then, until it is calm. */
import type { ShownMessage } from "../../../src/testing/channels/board.ts"
import { TelegramServer } from "../../../src/testing/TelegramServer.ts"
import type { TelegramFault } from "../../../src/testing/telegram/faults.ts"
import type { TelegramMessage } from "../../../src/testing/telegram/messages.ts"
import { type Dice, makeDice } from "../dice.ts"
import type { Outside } from "./Outside.ts"
import type { Fault } from "./plan.ts"

/** One for each bot, which has the number in front as its id. */
export const tokenOf = (bot: number) => `${700_000 + bot}:TEST-this-is-no-token-of-anybody-00`

const firstPerson = 1_000_000

const faults: { readonly [Name in Exclude<Fault, "none">]: TelegramFault } = {
  cutBefore: "cutBefore",
  cutAfter: "cutAfter",
  tooFast: { retryAfter: 1 },
  badGateway: "badGateway"
}

const methods = [
  ...["getUpdates", "getMe", "editMessageText", "editMessageReplyMarkup", "answerCallbackQuery", "deleteMessage"],
  ...["sendChatAction", "setMyCommands"]
]

const anyFault = (dice: Dice): TelegramFault =>
  dice.among<TelegramFault>(
    [3, () => "cutBefore"],
    [3, () => "cutAfter"],
    [2, () => "badGateway"],
    [2, () => "badGatewayAfter"],
    [2, () => "invalidJson"],
    [2, () => ({ slowMs: dice.between(1, 800) })],
    [1, () => ({ retryAfter: 1 })]
  )

/** Telegram says nothing of what a message is for. */
const progress = /^(⏳|✓ done|■|✗)/u

const shownOf = (message: TelegramMessage): ShownMessage => {
  const { messageId, from, isOurs, buttons, edited, silent, at } = message
  // Length of a problem's text.
  const text = message.text.replace(/^⚠️ /u, "")
  const key = isOurs && progress.test(text) ? { key: "/progress/" } : {}
  return {
    ...{ messageId: String(messageId), from: String(from), isOurs, text, buttons, at, ...key },
    ...{ isEdited: edited, isSilent: silent }
  }
}

export const startTelegram = async (bot: number, seed: number): Promise<Outside> => {
  // Hosts that die forget what they have sent: the pace is what other tests are for.
  const server = await TelegramServer.start({ token: tokenOf(bot), pace: false })
  const dice = makeDice(seed, 1_000 + bot)
  const personOf = (chat: string) => firstPerson + Number(chat.split("-").at(-1))
  const made = new Map<string, number>()
  const callsOf = (method: string) => server.calls().filter((call) => call.method === method).length
  /** One at a time: those that a method has not met yet would be an outage that grows. */
  const fail = () => {
    const method = methods[dice.between(0, methods.length - 1)] ?? "getUpdates"
    const fault = anyFault(dice)
    const calls = callsOf(method)
    if (made.get(method) === calls) return
    made.set(method, calls)
    server.fail(method, fault)
  }
  const failing = setInterval(fail, 200)
  const sends = (chat: number) =>
    server.calls().filter(({ method, params }) => /^send/i.test(method) && Number(params["chat_id"]) === chat)
  return {
    url: server.url,
    personOf: (chat) => String(personOf(chat)),
    say: (chat, text) => void server.say(text, { from: personOf(chat) }),
    press: (chat, messageId, label) =>
      void server.press({ chat: personOf(chat), messageId: Number(messageId) }, label, { from: personOf(chat) }),
    chat: (chat) => server.chat(personOf(chat)).map(shownOf),
    fail: (_, fault) => fault !== "none" && server.fail("sendMessage", faults[fault]),
    faultsOf: (chat) =>
      sends(personOf(chat)).filter(({ outcome, status = 0 }) => outcome !== "answered" || status >= 429).length,
    violations: () => server.violations().map(({ rule, method, detail }) => `${rule}: ${method}: ${detail}`),
    calm: () => clearInterval(failing),
    close: async () => {
      clearInterval(failing)
      await server[Symbol.asyncDispose]()
    }
  }
}
