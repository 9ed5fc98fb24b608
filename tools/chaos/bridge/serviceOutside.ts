/** A service of chats, outside: each account has a server of its own, and every method of it fails now and then, until it is calm. */
import type { ChannelId } from "../../../src/api/config/channels.ts"
import { type Outage, startService } from "../../../test/kit/services.ts"
import { type Dice, makeDice } from "../dice.ts"
import type { Outside } from "./Outside.ts"
import type { Fault } from "./plan.ts"

const faults: { readonly [Name in Exclude<Fault, "none">]: Outage } = {
  cutBefore: "cutBefore",
  cutAfter: "cutAfter",
  tooFast: "tooFast",
  badGateway: "badGateway"
}

const anyFault = (dice: Dice): Outage =>
  dice.among<Outage>(
    [3, () => "cutBefore"],
    [3, () => "cutAfter"],
    [2, () => "badGateway"],
    [2, () => "badGatewayAfter"],
    [2, () => "invalidJson"],
    [2, () => ({ slowMs: dice.between(1, 800) })],
    [1, () => "tooFast"]
  )

/** No service says what a message is for. */
const progress = /^(⏳|✓ done|■|✗)/u

const numberOf = (chat: string) => 2 + Number(chat.split("-").at(-1))

export const startOutside = async (id: ChannelId, lane: number, seed: number): Promise<Outside> => {
  // Hosts that die forget what they have sent: the pace is what other tests are for.
  const service = await startService(id, { lane, pace: false })
  const dice = makeDice(seed, 1_000 + lane)
  const made = new Map<string, number>()
  const callsOf = (method: string) => service.calls().filter((call) => call.method === method).length
  /** One at a time: those that a method has not met yet would be an outage that grows. */
  const fail = () => {
    const method = service.methods[dice.between(0, service.methods.length - 1)]
    const fault = anyFault(dice)
    if (method === undefined) return
    const calls = callsOf(method)
    if (made.get(method) === calls) return
    made.set(method, calls)
    service.fail(method, fault)
  }
  const failing = setInterval(fail, 200)
  return {
    url: service.url,
    options: { ...service.secrets, ...service.options },
    connect: service.connect,
    personOf: (chat) => service.person(numberOf(chat)),
    say: (chat, text) => void service.say(text, numberOf(chat)),
    // Slack sends them once, and shows what became of it.
    losesPresses: id === "slack",
    press: (chat, messageId, label) => service.press(messageId, label, numberOf(chat)),
    chat: (chat) =>
      service.chat(numberOf(chat)).map(({ files: _, ...message }) => {
        // As long as the text of a problem is.
        const text = message.text.replace(/^⚠️ /u, "")
        return { ...message, text, ...(message.isOurs && progress.test(text) ? { key: "/progress/" } : {}) }
      }),
    fail: (_, fault) => {
      if (fault !== "none") service.fail(service.sends, faults[fault])
    },
    faultsOf: (chat) =>
      service.callsTo(numberOf(chat)).filter(({ outcome, status = 0 }) => outcome !== "answered" || status >= 429)
        .length,
    violations: () => service.violations().map(({ rule, method, detail }) => `${rule}: ${method}: ${detail}`),
    calm: () => clearInterval(failing),
    close: async () => {
      clearInterval(failing)
      await service[Symbol.asyncDispose]()
    }
  }
}
