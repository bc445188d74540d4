/** Which of some files import each other in a circle. */

/** The groups of nodes that reach each other, each group sorted (Tarjan's strongly connected components of more than one node). */
export function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const places = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  /** Returns the earliest open node that can be reached from a node. */
  const visit = (node: string): number => {
    const place = places.size;
    places.set(node, place);
    open.push(node);
    let earliest = place;
    for (const next of edges.get(node) ?? []) {
      if (!places.has(next)) earliest = Math.min(earliest, visit(next));
      else if (open.includes(next)) earliest = Math.min(earliest, places.get(next) ?? place);
    }
    if (earliest < place) return earliest;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1) cycles.push(group.sort());
    return earliest;
  };
  for (const node of edges.keys()) if (!places.has(node)) visit(node);
  return cycles;
}
