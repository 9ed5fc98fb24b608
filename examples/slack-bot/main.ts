/**
 * A bot of Slack: what one person writes to an app of theirs goes to an agent in this directory, which asks in the chat
 * before it acts. It connects to Slack, so it needs no public address.
 *
 *     SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-… SLACK_OWNER=U012ABCDEF node examples/slack-bot/main.ts
 *
 * docs/slack.md says how to make the app, and where the tokens and the id are. SLACK_API is another root of Slack's API,
 * such as that of a fake in tests.
 */
import { createBridge, Slack } from "reins/bridge"

const {
  SLACK_BOT_TOKEN: botToken = "",
  SLACK_APP_TOKEN: appToken = "",
  SLACK_OWNER: owner = "",
  SLACK_API: apiRoot
} = process.env

await using bridge = createBridge({
  agents: { claude: {}, codex: {} }, // the first one answers until a person writes /agent codex
  access: { owners: [owner] },
  budgets: [{ name: "day", window: "day", usd: 10, onExceeded: "stop" }],
  footer: true
})

// Ends the turns at work, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => bridge.close())

try {
  await bridge.serve(Slack.channel({ botToken, appToken, apiRoot }))
} catch (error) {
  console.error(error instanceof Error ? error.message : error) // says what to do, too
  process.exitCode = 1
}
