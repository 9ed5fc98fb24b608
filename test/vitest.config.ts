/** Unit, property, process and contract tests. What needs the real CLIs has a configuration of its own. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**"],
    testTimeout: 30_000
  }
})
