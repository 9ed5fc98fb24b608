// The tests that run real CLIs, one file after the other. Started by `npm run test:real` only (see test/real/run.mjs).
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/real/rig/guard.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
