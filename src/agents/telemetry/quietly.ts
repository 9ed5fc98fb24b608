/** Runs what calls an application's tracer or meter: there is nobody to tell for each of its spans that it has failed. */
export const quietly = (run: () => void) => {
  try {
    run()
  } catch {
    // The run goes on without.
  }
}
