// The tests that run real CLIs, two files at a time. Started by `npm run test:real` only (see test/real/run.mjs).
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/real/rig/guard.ts"],
    // They wait for processes and servers most of the time; with more, those on two cores would wait for each other.
    maxWorkers: 2,
    // A guard against hangs only: on a slow machine a CLI takes ten seconds to start.
    testTimeout: 180_000,
    hookTimeout: 60_000
  }
})
