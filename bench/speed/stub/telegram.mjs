/**
 * A Telegram in a process of its own, so that its work is not that of the host which started it: people write and press as
 * the host says, and it hears what they see. It leaves with the host.
 */
import { TelegramServer } from "../../../dist/testing.js"

const tell = (/** @type {object} */ what) => process.send?.(what)
process.once("disconnect", () => process.exit(0))

const telegram = await TelegramServer.start({ pace: false })
let content = 0

process.on(
  "message",
  (/** @type {{ readonly say?: ReadonlyArray<readonly [number, string]>, readonly press?: number }} */ reported) => {
    for (const [person, text] of reported.say ?? []) {
      telegram.say(text, { from: person })
      content += 1
    }
    if (reported.press === undefined) return
    const message = telegram.chat(reported.press).find(({ buttons }) => buttons.includes("Stop"))
    if (message !== undefined) telegram.press(message, "Stop", { from: reported.press })
    content += 1
  }
)

/**
 * The text of a call that a person sees. @param {{ readonly method: string, readonly params: Readonly<Record<string,
 * unknown>> }} call
 */
const shownBy = ({ method, params }) => {
  if (method === "answerCallbackQuery") return { acknowledged: true }
  if (method !== "sendMessage") return undefined
  const [chat, text] = [Number(params["chat_id"]), String(params["text"])]
  if (text.startsWith("⏳")) return { progress: chat }
  if (text.startsWith("Stopped.")) return { stopped: chat }
  return text.startsWith("word") ? { answer: chat } : undefined
}

tell({ url: telegram.url, token: telegram.token })
for (let known = 0, taken = 0; ; ) {
  const calls = await telegram.until(() => {
    const isMore = telegram.calls().length > known || content - telegram.pending().length > taken
    return isMore ? telegram.calls() : undefined
  })
  for (const call of calls.slice(known)) {
    const visible = shownBy(call)
    if (visible !== undefined) tell(visible)
  }
  known = calls.length
  taken = content - telegram.pending().length
  tell({ taken })
}
