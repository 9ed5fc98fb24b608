// Runs before every real-CLI test run and refuses it outside the loopback-only namespace of the launcher, so that a
// real CLI never meets this machine's network or environment.
import { existsSync } from "node:fs"
import { madeUpKey } from "../../../src/testing/sandbox/surroundings.ts"
import { clisUnderTest, commandOf } from "./install.ts"
import { outwardInterfaces } from "./namespace.ts"

export const setup = (): void => {
  const outward = outwardInterfaces()
  if (outward.length > 0) throw new Error(`start these tests by "npm run test:real": ${outward.join(", ")} leads out`)
  if (process.env["ANTHROPIC_API_KEY"] !== madeUpKey) throw new Error('start these tests by "npm run test:real"')
  const missing = clisUnderTest.filter((cli) => !existsSync(commandOf(cli)))
  if (missing.length > 0) throw new Error(`not installed: ${missing.map((cli) => cli.name).join(", ")}`)
}
