"""What is to be found out about each of many subjects: goals, modules, mutants."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, Protocol, TypeVar

from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.prover.tasks import Task


class Named(Protocol):
    """A subject of a question."""

    @property
    def id(self) -> str:
        """Its name, which no other subject has."""


class TaskSubject(Named, Protocol):
    """A goal, or what a module assumes."""

    @property
    def task(self) -> Task:
        """What an answer is about."""


Subject = TypeVar("Subject", bound=Named)
AboutTask = TypeVar("AboutTask", bound=TaskSubject)
Answer = TypeVar("Answer")


class Question(ABC, Generic[Subject, Answer]):
    """A question to each subject."""

    subjects: ClassVar[str]
    """The word for them in the progress, such as `goals`."""
    finding: ClassVar[str]
    """The word for an answer that somebody has to look at, such as `refused`."""

    @abstractmethod
    def ask(self, subject: Subject, launch: Launcher) -> Answer:
        """Find it out. Raises `StoppedError`, `UserError`."""

    def is_finding(self, _answer: Answer) -> bool:
        """Whether somebody has to look at the answer."""
        return False


class GoalQuestion(Question[AboutTask, Answer]):
    """A question whose answers the record of goals keeps."""

    field: ClassVar[str]
    """Of a line of the record."""

    def text(self, subject: AboutTask) -> Task:
        """What is asked: of subjects with one text, one is asked about."""
        return subject.task

    def holds(self, _answer: Answer) -> bool:
        """Whether a recorded answer is about the tools that are here."""
        return True

    def knows(self, _answer: Answer) -> bool:
        """Whether an answer that holds need not be asked for again, say with larger limits."""
        return True
