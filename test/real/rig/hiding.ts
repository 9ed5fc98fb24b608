/** For every CLI: commands that hide from the host are gone when the session has been closed. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { PlainSession } from "../../../src/promise.ts"
import type { Sandbox } from "../../../src/testing/sandbox/sandbox.ts"
import { processesWith } from "../../kit/processes.ts"
import { take } from "./live.ts"

/** Its children leave its session, or hear no hang-up. */
export const hidingCommand = "setsid sleep 599 & nohup sleep 598 & touch begun; sleep 597"

/** The next turn must run `hidingCommand`; the session is closed in the middle of it. */
export const expectNoneSurvives = async (session: PlainSession, sandbox: Pick<Sandbox, "home" | "work">) => {
  const turn = take(session, "go")
  try {
    await expect.poll(() => existsSync(join(sandbox.work, "begun")), { timeout: 20_000 }).toBe(true)
  } finally {
    const before = processesWith(sandbox.home)
    await session.close()
    const after = processesWith(sandbox.home)
    expect(before.length).toBeGreaterThan(3)
    expect(after).toEqual([])
  }
  expect((await turn).result.outcome).toBe("aborted")
}
