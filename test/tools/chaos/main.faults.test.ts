/** The whole of it for a few seconds: nothing is found, and it leaves by itself. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { hasPostgres } from "../../kit/postgres.ts"

const main = fileURLToPath(new URL("../../../tools/chaos/main.ts", import.meta.url))

const chaos = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { stdout, stderr, code }
}

it("finds nothing in three seconds", { timeout: 120_000 }, async () => {
  const { stdout, code } = await chaos("--seconds", "3", "--seed", "1")
  assert.match(stdout, /^seed {20}1\n/)
  assert.strictEqual(code, 0, stdout)
})

it("repeats one step of a seed", { timeout: 120_000 }, async () => {
  const { stdout, code } = await chaos("--seed", "1", "--only", "2", "--times", "2")
  assert.match(stdout, /^steps {19}2$/m)
  assert.strictEqual(code, 0, stdout)
})

it("refuses what it does not know", async () => {
  const { stderr, code } = await chaos("--minutes", "1")
  assert.include(stderr, "npm run chaos -- [--seconds 60]")
  assert.strictEqual(code, 2)
})

it("loses nothing of conversations whose hosts are killed, in four seconds", { timeout: 180_000 }, async () => {
  const { stdout, code } = await chaos("sessions", "--seconds", "4", "--seed", "1", "--store", "sqlite")
  assert.strictEqual(code, 0, stdout)
  assert.match(stdout, /^findings {10}0$/m)
})

it("counts all that is spent by hosts that are killed, and keeps the limits, in four seconds", {
  timeout: 180_000
}, async () => {
  const { stdout, code } = await chaos("ledger", "--seconds", "4", "--seed", "1", "--store", "sqlite")
  assert.strictEqual(code, 0, stdout)
  assert.match(stdout, /^findings {10}0$/m)
})

it("refuses a store that it does not know", async () => {
  const { stderr, code } = await chaos("sessions", "--store", "paper")
  assert.include(stderr, "npm run chaos -- sessions")
  assert.strictEqual(code, 2)
})

it.skipIf(!hasPostgres)(
  "begins no turn of a cluster twice and loses none, in six seconds",
  {
    timeout: 180_000
  },
  async () => {
    const { stdout, code } = await chaos("cluster", "--seconds", "6", "--seed", "1")
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /^findings {10}0$/m)
  }
)

it("refuses logs of nowhere", async () => {
  const { stderr, code } = await chaos("cluster", "--logs")
  assert.include(stderr, "npm run chaos -- cluster")
  assert.strictEqual(code, 2)
})
