"""Draws a cluster of NUMA nodes for SimGrid: a host for each core, links for memories and network.

A message within a node is copied twice, into memory that both ranks share and out of it, as MPICH2
does: it takes a quarter of what the memory of a socket can be read and written. Between two sockets
both memories carry it. A message between nodes crosses one network card out and one in.
"""

NODES, SOCKETS, CORES = 8, 4, 2  # of paper 004, figure 2

# Bytes a second and seconds. The memory of an Opteron 8218: two channels of DDR2-667, of which
# programs see about half; the networks: what MPI programs see.
MEMORY, SOCKET_LATENCY, HOP_LATENCY = 5.2e9 / 4, 0.6e-6, 0.1e-6
NETWORKS = {
    "Myri-10G": (1.2e9, 2.3e-6),
    "Three quarters of it": (0.9e9, 2.3e-6),
    "Gigabit Ethernet": (1.17e8, 25e-6),
}


def host(node, core):
    return f"node{node}-{core}"


def cores():
    return [(node, core) for node in range(NODES) for core in range(SOCKETS * CORES)]


def links_of(source, target):
    (node_a, core_a), (node_b, core_b) = source, target
    if node_a != node_b:
        return [f"out{node_a}", f"in{node_b}"]
    socket_a, socket_b = core_a // CORES, core_b // CORES
    if socket_a == socket_b:
        return [f"memory{node_a}-{socket_a}"]
    return [f"memory{node_a}-{socket_a}", f"hop{node_a}", f"memory{node_a}-{socket_b}"]


def draw(network):
    bandwidth, latency = NETWORKS[network]
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1"><zone id="cluster" routing="Full">']
    lines += [f'<host id="{host(*core)}" speed="1Gf"/>' for core in cores()]

    def link(name, bytes_a_second, seconds, policy="SHARED"):
        lines.append(f'<link id="{name}" bandwidth="{bytes_a_second:.0f}Bps" latency="{seconds * 1e9:.0f}ns" '
                     f'sharing_policy="{policy}"/>')
    for node in range(NODES):
        link(f"out{node}", bandwidth, latency / 2)
        link(f"in{node}", bandwidth, latency / 2)
        link(f"hop{node}", MEMORY, HOP_LATENCY, "FATPIPE")
        for socket in range(SOCKETS):
            link(f"memory{node}-{socket}", MEMORY, SOCKET_LATENCY / 2)
    for source in cores():
        for target in cores():
            if source != target:
                crossed = "".join(f'<link_ctn id="{name}"/>' for name in links_of(source, target))
                lines.append(f'<route src="{host(*source)}" dst="{host(*target)}" symmetrical="NO">{crossed}</route>')
    lines.append('</zone></platform>')
    return "\n".join(lines) + "\n"
