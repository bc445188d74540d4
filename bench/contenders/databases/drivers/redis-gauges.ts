/** What can be read off a Redis server. */
import { Redis } from 'ioredis';
import type { Gauges } from '../database.ts';

export async function redisGauges(port: number): Promise<Gauges & { close(): Promise<unknown> }> {
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
  const numbers = async (section: string, ...names: string[]): Promise<number> => {
    const text = await redis.info(section);
    return names.reduce(
      (sum, name) => sum + Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]),
      0,
    );
  };
  return {
    statements: () => numbers('stats', 'total_commands_processed'),
    logBytes: () => numbers('persistence', 'aof_current_size'),
    sizeBytes: () => numbers('memory', 'used_memory_dataset'),
    cpuMs: async () => 1000 * (await numbers('cpu', 'used_cpu_user', 'used_cpu_sys')),
    ends: () => redis.zcard('bull:tick:completed'),
    close: () => redis.quit(),
  };
}
