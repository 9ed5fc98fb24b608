/**
 * `npm run test:faults`: what holds when hosts are killed, pipes stay open, disks fill up and consumers pause. Real
 * processes and much memory: one file after the other, so that no test disturbs the measurements of another.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    env: {
      XDG_STATE_HOME: fileURLToPath(new URL("../../.cache/state", import.meta.url)),
      XDG_CONFIG_HOME: fileURLToPath(new URL("../../.cache/config", import.meta.url))
    },
    include: ["test/faults/**/*.test.ts", "test/**/*.faults.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    execArgv: ["--expose-gc"]
  }
})
