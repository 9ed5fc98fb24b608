/** The page in Chromium: `npm run test:browser` says where that is. One browser for each file, two files at once. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    // A guard against hangs only.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxWorkers: 2
  }
})
