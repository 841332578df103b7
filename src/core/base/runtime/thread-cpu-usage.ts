type Usage = (before?: NodeJS.CpuUsage) => NodeJS.CpuUsage;

/** Processor time in µs of this thread, where Node can tell, since `before`; else of the process, whose other threads work as well. */
export const threadCpuUsage: Usage = (before) => {
  const { threadCpuUsage: ofThread }: NodeJS.Process & { threadCpuUsage?: Usage } = process;
  return ofThread === undefined ? process.cpuUsage(before) : ofThread(before);
};
