"""Trains and uses small networks with PyTorch on processors, in the ways in which Python programs do.

    torch_program.py once FILE          everything once; the results go to FILE
    torch_program.py everywhere FILE    the same, and again in children of fork and in spawned ones
                                        after regions ran, and with a DataLoader whose workers are
                                        forked; all of them must agree
    torch_program.py compare A B        are the results of two runs the same, bit by bit?
    torch_program.py time               seconds for ten rounds of work, after one to warm up

The number of threads is OMP_NUM_THREADS.
"""
import multiprocessing
import os
import sys
import time

import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset

THREADS = int(os.environ["OMP_NUM_THREADS"])


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
        torch.nn.Flatten(), torch.nn.Linear(16 * 14 * 14, 10))


def train(workers=0):
    torch.manual_seed(7)
    images, labels = torch.randn(256, 1, 28, 28), torch.randint(0, 10, (256,))
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for batch, wanted in DataLoader(TensorDataset(images, labels), 64, num_workers=workers,
                                    multiprocessing_context="fork" if workers else None):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(batch), wanted).backward()
        optimizer.step()
    return {"weights%d" % i: p.detach().numpy() for i, p in enumerate(net.parameters())}


def operations():
    torch.manual_seed(3)
    x = torch.randn(700, 700)
    stack = torch.randn(40, 300, 30)
    results = {"softmax": torch.softmax(x, 1), "sorted": torch.sort(x, 1).values,
               "sums": x.sum(0), "whole": x.double().sum(), "sine": torch.sin(x) * x.exp(),
               "batches": torch.bmm(stack, stack.transpose(1, 2)), "cumulated": x.cumsum(1),
               "indexed": torch.zeros(700, 700).index_add(0, torch.arange(699, -1, -1), x)}
    return {name: value.numpy() for name, value in results.items()}


def everything(_=None):
    torch.set_num_threads(THREADS)
    return {**operations(), **train()}


def require_agreement(where, expected, results):
    for result in results:
        difference = disagreement(expected, result)
        if difference:
            sys.exit(f"{where}: {difference} differs")
    print(f"{where}: {len(results)} agree")


def disagreement(one, other):
    if sorted(one) != sorted(other):
        return "the list of results"
    return next((name for name in one if one[name].tobytes() != other[name].tobytes()), None)


def everywhere():
    expected = everything()
    with multiprocessing.get_context("fork").Pool(2) as forked:
        require_agreement("children of fork", expected, forked.map(everything, range(4), 1))
    with multiprocessing.get_context("spawn").Pool(1) as spawned:
        require_agreement("a spawned child", expected, spawned.map(everything, [0]))
    with_loader = train(workers=2)
    require_agreement("workers of a DataLoader", {name: expected[name] for name in with_loader},
                      [with_loader])
    require_agreement("the parent at the end", expected, [everything()])
    return expected


def seconds():
    everything()
    begin = time.monotonic()
    for _ in range(10):
        everything()
    return time.monotonic() - begin


def main():
    command, files = sys.argv[1], sys.argv[2:]
    if command == "time":
        print(seconds())
    elif command == "compare":
        one, other = ({**numpy.load(file)} for file in files)
        sys.exit(disagreement(one, other))
    else:
        numpy.savez(files[0], **(everything() if command == "once" else everywhere()))


if __name__ == "__main__":
    main()
