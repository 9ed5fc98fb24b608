/** Unit, property, process and contract tests. Faults and what needs the real CLIs have configurations of their own. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/faults/**"],
    // Most of them wait for processes.
    maxWorkers: 2,
    testTimeout: 30_000
  }
})
