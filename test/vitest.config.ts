/** Unit, property, process and contract tests. Faults and what needs the real CLIs have configurations of their own. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The programs and hosts that tests start are compiled once, and not by each process anew.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL("../.cache/node", import.meta.url)),
      // Not that of the person who runs the tests.
      XDG_STATE_HOME: fileURLToPath(new URL("../.cache/state", import.meta.url))
    },
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/faults/**"],
    // Most of them wait for processes.
    maxWorkers: 2,
    testTimeout: 30_000
  }
})
