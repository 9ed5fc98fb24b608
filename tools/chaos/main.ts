/**
 * `npm run chaos -- --seconds 60 --seed N`: random runs of random CLIs with random faults at random moments. Says what
 * was done and what was found, which should be nothing. What is found in a step is repeated by its seed and number.
 * `npm run chaos -- sessions` and `ledger`: hosts on one store; `bridge`: hosts that serve a channel; `telegram`, `slack`,
 * `discord`, `whatsapp`: that of a service; `serve`: the host of the page; `worktrees`: conversations on one repository; `cluster`: machines that share a PostgreSQL server.
 */
import { isBridgeCampaign } from "./bridge/plan.ts"
import { startCampaign } from "./campaign.ts"
import { parseOptions, usage } from "./options.ts"
import { draw, type Facts } from "./report.ts"

if (process.argv[2] === "sessions") {
  const { chaosOfSessions } = await import("./conversations/main.ts")
  process.exit(await chaosOfSessions(process.argv.slice(3)))
}

if (process.argv[2] === "ledger") {
  const { chaosOfLedger } = await import("./ledger/main.ts")
  process.exit(await chaosOfLedger(process.argv.slice(3)))
}

if (isBridgeCampaign(process.argv[2])) {
  const { chaosOfBridge } = await import("./bridge/main.ts")
  process.exit(await chaosOfBridge(process.argv[2], process.argv.slice(3)))
}

if (process.argv[2] === "serve") {
  const { chaosOfServe } = await import("./serve/main.ts")
  process.exit(await chaosOfServe(process.argv.slice(3)))
}

if (process.argv[2] === "worktrees") {
  const { chaosOfWorktrees } = await import("./worktrees/main.ts")
  process.exit(await chaosOfWorktrees(process.argv.slice(3)))
}

if (process.argv[2] === "cluster") {
  const { chaosOfCluster } = await import("./cluster/main.ts")
  process.exit(await chaosOfCluster(process.argv.slice(3)))
}

const options = parseOptions(process.argv.slice(2), Math.floor(Math.random() * 1_000_000))
if (options === undefined) {
  process.stderr.write(`${usage}\n`)
  process.exit(2)
}

const statusOf = ({ seconds, sums, found }: Facts) => {
  const hosts = Object.values(sums.hosts).reduce((sum, count) => sum + count, 0)
  return `${seconds.toFixed(0)} s, ${sums.runs} runs, ${sums.live["sessions"] ?? 0} sessions, ${hosts} hosts killed, ${found.length} findings`
}

process.stderr.write(`seed ${options.seed}\n`)
const campaign = startCampaign(options)
process.once("SIGINT", campaign.stop)
const everyMs = process.stderr.isTTY ? 500 : 15_000
const status = setInterval(() => {
  const line = statusOf(campaign.facts())
  process.stderr.write(process.stderr.isTTY ? `\r${line}\u001b[K` : `${line}\n`)
}, everyMs)
await campaign.ended
clearInterval(status)
if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
const facts = campaign.facts()
process.stdout.write(`${draw(facts)}\n`)
process.exitCode = facts.found.length === 0 ? 0 : 1
// Asks for nothing but to be told when something else keeps this host alive.
setTimeout(() => {
  process.stdout.write(`it does not leave by itself: ${process.getActiveResourcesInfo().join(", ")}\n`)
  process.exit(1)
}, 5_000).unref()
